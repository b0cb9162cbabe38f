#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies that boot: small Debian systems are cloned to disks of other sizes, and an emulated machine
# starts from the copy alone, on another bus. Prints a table of what came of it. It makes the systems
# first, once (debootstrap); without KVM a boot takes one to ten minutes.
#
# usage: CLONEDECK=PROGRAM boots.sh [SYSTEM,SIZE,BUS,IDENTITIES[,OPTION...]]...
#   SYSTEM: bios uefi xfs btrfs lvm lvmboot lvmbios luks luksbios 4kn; SIZE: same larger smaller smallest; BUS: sata nvme usb nvme4k;
#   IDENTITIES: keep new,rewrite (a plus in place of the comma); OPTIONs are of clonedeck clone.
# Without any, those listed below. BOOTS_LOGS=DIR keeps what each said.
#
# Seen on 23 November 2026 (Debian 12, under emulation on a machine with much else to do; fsck and the
# tools for tables content with each copy), and on 24 November where it says so:
#   BIOS, MBR, ext4: same size on NVMe; smaller, cut and moved, on NVMe; larger, root grown and swap
#     moved, on SATA; larger with new identifiers on USB, and on SATA (24 November): all to the
#     login, with their swap
#   UEFI, GPT, ext4: smaller, cut and moved, on NVMe: to the login, with swap and ESP. Larger, grown,
#     with new identifiers, on SATA and on USB (24 November): to the login, with swap and ESP, after
#     30 s of waiting in the initramfs for the old swap, as the report says
#   UEFI, GPT, ext4, 4Kn: smaller, cut and moved, on 4Kn NVMe; larger, with new identifiers, on 4Kn
#     NVMe (24 November): to the login, with swap and ESP
#   UEFI, GPT, XFS: smaller, cut and moved, on NVMe; larger, with new identifiers, on SATA
#     (24 November): to the login, with swap and ESP
#   BIOS, GPT, Btrfs in a volume: larger, with new identifiers, on NVMe; smaller, on USB (24 November)
#   UEFI, LUKS with /boot beside it: larger, on SATA; UEFI, LVM: same size on NVMe (24 November): to
#     the login, with swap and ESP
#   LVM with new identifiers, of members, groups and what is in volumes (27 November): BIOS, MBR, with
#     /boot beside it: larger, on SATA; UEFI, without: same size on NVMe; BIOS, GPT, without, where the
#     group keeps its UUID: same size on NVMe; all to the login, with swap and ESP
#   Smallest (27 November): ext4 shrunk in an image, and copied from it: BIOS, MBR, on NVMe; UEFI, GPT, on
#     SATA: to the login, with swap and ESP
#   UEFI, LUKS with /boot beside it, new identifiers (28 November; what its fstab and crypttab name is kept):
#     larger, on SATA; BIOS, GPT, Btrfs in a volume, used blocks only: larger, grown, with new identifiers, on
#     NVMe (28 November): both to the login, with their swap
#   512-byte sectors to 4Kn is refused: nothing starts there without an ESP, and a FAT keeps its sectors
if [ "${1:-}" = inside ]; then # the kernel that has vfat
	source=$(losetup --sector-size "$3" --find --show source.img)
	copy=$(losetup --sector-size "$3" --find --show copy.img)
	exec "$2" clone -s "$source" -d "$copy" --confirm "$copy" --log-dir logs "${@:4}"
fi
. "$(dirname -- "$0")/../system/lib.sh"
. "$(dirname -- "$0")/../system/boot-lib.sh"
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
need debootstrap qemu-system-x86_64 qemu-img sgdisk sfdisk parted pvcreate jq
store=${CLONEDECK_TEST_CACHE:-/var/cache/clonedeck-tests}/boots

[ $# -gt 0 ] || set -- \
	bios,same,nvme,keep bios,larger,usb,new+rewrite,--used=only bios,smaller,nvme,keep,--used=only \
	uefi,same,nvme,keep uefi,larger,usb,new+rewrite uefi,smaller,nvme,new+rewrite,--used=only \
	xfs,larger,sata,new+rewrite,--used=only xfs,smaller,nvme,keep \
	btrfs,larger,nvme,new+rewrite,--used=only btrfs,smaller,usb,keep,--used=only \
	4kn,larger,nvme4k,new+rewrite 4kn,smaller,nvme4k,keep,--used=only

# ---- the systems ----

# What is asked of a system that runs, on its serial line.
debian() {
	[ ! -d "$store/root" ] || return 0
	mkdir -p "$store"
	rm -rf --one-file-system "$store/root.new"
	debootstrap --variant=minbase \
		--include=linux-image-amd64,systemd-sysv,udev,initramfs-tools,grub-pc-bin,grub-efi-amd64-bin,grub2-common,e2fsprogs,dosfstools,xfsprogs,btrfs-progs,lvm2,cryptsetup-initramfs,kmod,zstd \
		bookworm "$store/root.new" http://deb.debian.org/debian
	rm -rf "$store"/root.new/{var/cache/apt,var/lib/apt/lists,usr/share/{doc,locale,man}}/*
	mv "$store/root.new" "$store/root"
}

marker() { # ROOT
	cat >"$1/usr/local/bin/marker" <<-'MARKER'
		#!/bin/sh
		line="marker root=$(findmnt -no SOURCE,UUID / | tr -s ' ' ,)"
		line="$line swap=$(swapon --noheadings --show=NAME,UUID | tr -s ' ' ,)"
		line="$line esp=$(findmnt -no SOURCE /boot/efi) failed=$(systemctl --failed --no-legend | wc -l)"
		printf '\n%s end\n' "$line" >/dev/ttyS0
		sleep 3
		systemctl poweroff -ff
	MARKER
	chmod +x "$1/usr/local/bin/marker"
	cat >"$1/etc/systemd/system/marker.service" <<-'UNIT'
		[Unit]
		After=multi-user.target swap.target local-fs.target
		[Service]
		Type=oneshot
		ExecStart=/usr/local/bin/marker
		[Install]
		WantedBy=multi-user.target
	UNIT
	sed -i '/^After=/s/multi-user.target //' "$1/etc/systemd/system/marker.service"
	chroot "$1" systemctl -q enable marker.service
	chroot "$1" systemctl -q mask getty@tty1 systemd-timesyncd apt-daily.timer apt-daily-upgrade.timer
}

# table SYSTEM: room is left behind and between the partitions, and in them (see file_systems).
table() {
	local root='size=1900MiB, type=linux' swap='start=2600MiB, size=128MiB, type=swap'
	local esp='start=1MiB, size=64MiB, type=uefi'
	case $1 in
	bios) printf '%s\n' 'label: dos' "start=1MiB, bootable, ${root/linux/83}" "${swap/swap/82}" ;;
	uefi | xfs) printf '%s\n' 'label: gpt' "$esp" "$root" "$swap" ;;
	btrfs | lvmbios) printf '%s\n' 'label: gpt' \
		'start=1MiB, size=1MiB, type=21686148-6449-6E6F-744E-656564454649' "${root/linux/$([ "$1" = btrfs ] && echo linux || echo lvm)}" "$swap" ;;
	lvm) printf '%s\n' 'label: gpt' "$esp" "${root/type=linux/type=lvm}" ;;
	lvmboot) printf '%s\n' 'label: dos' 'start=1MiB, size=160MiB, bootable, type=83' "${root/linux/8e}" ;;
	luksbios) printf '%s\n' 'label: dos' 'start=1MiB, size=160MiB, bootable, type=83' "${root/linux/83}" "${swap/swap/82}" ;;
	luks) printf '%s\n' 'label: gpt' "$esp" "$root" "$swap" 'size=160MiB, type=linux' ;;
	4kn) printf '%s\n' 'label: gpt' "${esp/64/300}" "$root" "$swap" ;;
	esac
}

# file_systems SYSTEM NODE: makes them. Sets fs (of the root), root_number; root_node, swap_node,
# where they are, as root_name and swap_name are for fstab; esp_node and boot_node, where there are any.
file_systems() {
	fs=ext4 root_number=2 esp_node='' boot_node=''
	case $1 in
	bios) root_number=1 ;;
	xfs | btrfs) fs=$1 ;;
	esac
	root_node=$2p$root_number swap_node=$2p$((root_number + 1))
	case $1 in
	bios | btrfs | lvmbios) ;;
	lvmboot | luksbios)
		boot_node=${2}p1
		;;
	*)
		esp_node=${2}p1
		[ "$1" != luks ] || boot_node=${2}p4
		mkfs.vfat -F 32 "$esp_node" >/dev/null
		;;
	esac
	case $1 in
	lvm*) make_lvm ;;
	luks*)
		make_luks
		;;
	esac
	[ -z "$boot_node" ] || mkfs.ext2 -q -F "$boot_node"
	mkswap -q "$swap_node"
	case $fs in
	ext4) mkfs.ext4 -q -F "$root_node" 1400M ;;
	xfs) mkfs.xfs -q -f -d size=1700m "$root_node" ;;
	btrfs) mkfs.btrfs -q -f -b 1400M "$root_node" ;;
	esac
	root_name=UUID=$(uuid "$root_node") swap_name=UUID=$(uuid "$swap_node")
	[[ $1 != lvm* ]] || root_name=/dev/mapper/lab-root swap_name=/dev/mapper/lab-swap
	[[ $1 != luks* ]] || root_name=/dev/mapper/root_crypt
}

# No device mapper is needed: the volumes lie one after the other, from 1 MiB on.
make_lvm() {
	local lvm=(--driverloaded n --devices "$root_node") start
	pvcreate -q "${lvm[@]}" --dataalignment 1m "$root_node"
	vgcreate -q "${lvm[@]}" lab "$root_node"
	lvcreate -q -y -an -Zn -Wn "${lvm[@]}" -L 1400M -n root lab
	lvcreate -q -y -an -Zn -Wn "${lvm[@]}" -L 128M -n swap lab
	start=$(($(cat "/sys/class/block/${root_node##*/}/start") * 512 + 1048576))
	swap_node=$(attach "$PWD/system.img" --offset $((start + 1400 * 1048576)) --sizelimit 128MiB)
	root_node=$(attach "$PWD/system.img" --offset "$start" --sizelimit 1400MiB)
}

# The header is made now, as fstab and the initramfs name it; encrypt() fills it.
make_luks() {
	luks_node=$root_node
	head -c 32 /dev/urandom | base64 -w 0 >key
	qemu-img create -q -f luks --object secret,id=key,file=key -o key-secret=key,iter-time=10 luks.img 1800M
	dd if=luks.img of="$luks_node" bs=1M count=8 conv=fsync status=none
	truncate -s 1800M inside.img
	root_node=$(attach "$PWD/inside.img")
}

encrypt() {
	qemu-img convert -n -f raw --object secret,id=key,file=key inside.img \
		--target-image-opts "driver=luks,key-secret=key,file.driver=host_device,file.filename=$luks_node"
}

uuid() { # NODE
	blkid -p -s UUID -o value "$1"
}

# As an installer leaves it.
install_system() { # SYSTEM NODE ROOT
	{
		echo "$root_name / $fs defaults${volume:+,subvol=$volume} 0 1"
		echo "$swap_name none swap sw 0 0"
		[ -z "$boot_node" ] || echo "UUID=$(uuid "$boot_node") /boot ext2 defaults 0 2"
		[ -z "$esp_node" ] || echo "UUID=$(uuid "$esp_node") /boot/efi vfat umask=0077 0 1"
	} >"$3/etc/fstab"
	echo "RESUME=$swap_name" >"$3/etc/initramfs-tools/conf.d/resume"
	echo 'GRUB_CMDLINE_LINUX="console=ttyS0 quiet systemd.show_status=0 mitigations=off"
GRUB_TIMEOUT=0
GRUB_TERMINAL=serial
GRUB_DISABLE_OS_PROBER=true' >"$3/etc/default/grub"
	marker "$3"
	# Under emulation beside other work, devices take longer than the usual 90 s to appear.
	mkdir -p "$3/etc/systemd/system.conf.d"
	printf '[Manager]\nDefaultTimeoutStartSec=900s\nDefaultDeviceTimeoutSec=900s\n' \
		>"$3/etc/systemd/system.conf.d/slow.conf"
	if [[ $1 = luks* ]]; then
		mkdir -m 700 "$3/etc/keys"
		cp key "$3/etc/keys/root.key"
		echo "root_crypt UUID=$(uuid "$luks_node") /etc/keys/root.key luks,initramfs" >"$3/etc/crypttab"
		echo 'KEYFILE_PATTERN=/etc/keys/*.key' >>"$3/etc/cryptsetup-initramfs/conf-hook"
	fi
	inside_of "$3" update-initramfs -u # it has what fstab, crypttab and resume name
	if [ -n "$esp_node" ]; then
		install_efi "$3"
	elif [ "$1" = lvmbios ]; then
		install_core "$2" "$3"
	else
		inside_of "$3" grub-install --target=i386-pc "$2"
	fi
	inside_of "$3" update-grub
	[[ $1 != l* ]] || menu "$3/boot" >>"$3/boot/grub/grub.cfg"
	# There is no udev here, so GRUB did not find the name by which it is known.
	sed -i "s|root=/dev/loop[0-9p]*|root=$root_name|" "$3/boot/grub/grub.cfg"
}

# update-grub leaves out a root on a loop device.
menu() { # FOLDER
	local folder=/boot/ kernel initrd
	[ -z "$boot_node" ] || folder=/
	kernel=$(cd "$1" && echo vmlinuz-*) initrd=$(cd "$1" && echo initrd.img-*)
	echo "linux $folder$kernel root=$root_name ro console=ttyS0 quiet systemd.show_status=0 mitigations=off"
	echo "initrd $folder$initrd"
	echo boot
}

# inside_of ROOT COMMAND...: this machine's /dev is never mounted where what removes the folder
# could reach it.
inside_of() {
	# shellcheck disable=SC2016 # of that shell
	unshare --mount --propagation private sh -ec '
		for dir in dev proc sys; do mount --bind "/$dir" "$1/$dir"; done
		exec chroot "$@"' sh "$@"
}

# As grub-install does it, which would have to mount the partition.
install_efi() { # ROOT
	local grub=/boot/grub
	[ -z "$boot_node" ] || grub=/grub
	# shellcheck disable=SC2016 # of GRUB
	printf 'search.fs_uuid %s root\nset prefix=($root)%s\n' "$(uuid "${boot_node:-$root_node}")" "$grub" >load.cfg
	grub-mkimage -O x86_64-efi -c load.cfg -p "$grub" -o grubx64.efi part_gpt ext2 xfs lvm search_fs_uuid normal
	mkdir -p "$1/boot/efi" "$1/boot/grub"
	cp -r /usr/lib/grub/x86_64-efi "$1/boot/grub/"
	mmd -i "$esp_node" ::EFI ::EFI/debian ::EFI/BOOT
	mcopy -i "$esp_node" grubx64.efi ::EFI/debian/grubx64.efi
	mcopy -i "$esp_node" grubx64.efi ::EFI/BOOT/BOOTX64.EFI
}

# As grub-install does it, which would have to ask the device mapper: GRUB's first part finds its
# folder by the UUIDs of the group and the volume.
install_core() { # NODE ROOT
	local group volume
	group=$(vgs --driverloaded n --devices "${1}p2" --noheadings -o vg_uuid lab 2>/dev/null | tr -d ' ')
	volume=$(lvs --driverloaded n --devices "${1}p2" --noheadings -o lv_uuid lab/root 2>/dev/null | tr -d ' ')
	mkdir -p "$2/boot/grub"
	cp -r /usr/lib/grub/i386-pc "$2/boot/grub/"
	grub-mkimage -O i386-pc -p "(lvmid/$group/$volume)/boot/grub" -o core.img biosdisk part_gpt lvm ext2 normal
	put_bios_code "$1"
}

make_system() { # SYSTEM
	local image=$store/$1.img sector=512 node volume=''
	[ "$1" != 4kn ] || sector=4096
	[ ! -e "$image" ] || return 0
	debian
	rm -f system.img
	truncate -s 3G system.img
	node=$(attach "$PWD/system.img" --sector-size "$sector")
	table "$1" | sfdisk -q --wipe always "$node"
	know_partitions "$node" 2
	file_systems "$1" "$node"
	mount_at root "$root_node"
	if [ "$fs" = btrfs ]; then # as Debian's installer has it
		volume=@rootfs
		btrfs -q subvolume create root/$volume
		unmount root
		mount_at root "$root_node" -o subvol=$volume
	fi
	[ -z "$boot_node" ] || mount_at root/boot "$boot_node"
	cp -a "$store/root/." root/
	install_system "$1" "$node" root
	# What of the copy cannot be seen from outside.
	[[ $1 != luks* ]] || blkid -p "$root_node" >"$store/$1.inside"
	[ -z "$boot_node" ] || unmount root/boot
	sync -f root # another program's name space may still have it mounted
	unmount root
	[[ $1 != luks* ]] || encrypt
	undo
	mv system.img "$image"
}

# ---- a copy, and the machine ----

copy_system() { # SYSTEM SIZE IDENTITIES OPTION...
	local sector=512 root=2 options=(--identities="${3/+/,}" "${@:4}") size=3072 status=0
	[ "$1" != 4kn ] || sector=4096
	[ "$1" != bios ] || root=1
	cp --sparse=always "$store/$1.img" source.img
	case $2 in
	larger)
		size=4096 options+=(--grow="$root")
		[[ $1 = l* ]] || options+=(--grow-fs)
		;;
	smaller) size=2048 options+=(--table=fit) ;;
	smallest) size=1550 options+=(--shrink-via=image) ;;
	esac
	truncate -s "${size}M" copy.img
	if [ "$3" != keep ] && ! grep -qw vfat /proc/filesystems && [[ $1 != b* && $1 != l*b* && $1 != luks ]]; then
		"$here/uml-run" -m loop -m vfat -m nls_cp437 -m nls_ascii -m nls_iso8859-1 -m xfs -M 512 -t 1500 -w "$PWD" \
			"$here/${0##*/}" inside "$CLONEDECK" "$sector" "${options[@]}"
		attach "$PWD/copy.img" --sector-size "$sector"
	else
		# GRUB needs the UUID of its group, and a system in LUKS all that its fstab names.
		[[ $1 != l*bios && $1 != luks ]] || [ "$3" = keep ] || status=4
		clone "$status" "$(attach "$PWD/source.img" --sector-size "$sector")" \
			"$(attach "$PWD/copy.img" --sector-size "$sector")" "${options[@]}"
		cat out err
	fi
}

uuid_of() { # TYPE...: of what the copy holds
	local type
	for type in "$@"; do
		sed -n "s/.* UUID=\"\([^\"]*\)\" .*TYPE=\"$type\".*/\1/p" contents
	done
}

volumes() { # NODE
	local start=$(($(cat "/sys/class/block/${1##*/}p2/start") * 512 + 1048576))
	blkid -p -O "$start" -S $((1400 * 1048576)) "$1"
	blkid -p -O $((start + 1400 * 1048576)) -S $((128 * 1048576)) "$1"
}

check_copy() { # NODE
	local node=$1 part
	blockdev --flushbufs "$node"
	sfdisk --verify "$node" | grep -q 'No errors detected'
	! fdisk -l "$node" 2>&1 | grep -iE 'error|corrupt|mismatch|does not|not on the end' || fail fdisk
	! parted -s "$node" print 2>&1 | grep -iE 'error|warning|corrupt|not all of the space' || fail parted
	! sfdisk -d "$node" | grep -q 'label: gpt' || sgdisk -v "$node" | grep -q 'No problems found'
	know_partitions "$node" 2
	case $system in
	lvm*) volumes "$node" ;;
	luks*) cat "$store/$system.inside" ;;
	esac >contents
	blkid -p "$node"p* >>contents
	for part in "$node"p*; do
		case $(blkid -p -s TYPE -o value "$part") in
		ext4) e2fsck -fn "$part" ;;
		xfs) xfs_repair -n "$part" ;;
		btrfs) btrfs check --readonly "$part" ;;
		vfat) fsck.vfat -n "$part" ;;
		esac
	done
}

boot_copy() { # SYSTEM BUS: the serial line goes to `serial`
	local chips=() devices=()
	case $1 in
	b* | l*b*) ;;
	*)
		cp /usr/share/OVMF/OVMF_VARS_4M.fd variables
		chips=(-drive 'if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'
			-drive 'if=pflash,format=raw,file=variables')
		;;
	esac
	case $2 in
	sata) devices=(-device 'ide-hd,drive=copy') ;;
	nvme) devices=(-device 'nvme,drive=copy,serial=COPY') ;;
	nvme4k) devices=(-device 'nvme,serial=COPY,id=n'
		-device 'nvme-ns,drive=copy,bus=n,logical_block_size=4096,physical_block_size=4096') ;;
	usb) devices=(-device qemu-xhci -device 'usb-storage,drive=copy') ;;
	esac
	# With "-cpu max" the kernel tests its AES, which takes minutes under emulation: udev waits for it.
	timeout "${BOOT_LIMIT:-900}" qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu qemu64 -smp 2 -m 768 \
		-nodefaults -display none -vga none -no-reboot ${chips[@]+"${chips[@]}"} -serial file:serial \
		-drive 'if=none,id=copy,format=raw,file=copy.img' "${devices[@]}" </dev/null || true
	tail -n 40 serial
	# Root and swap are those of the copy, by their UUIDs, and no unit has failed.
	grep -a "marker root=[^ ]*,$(uuid_of ext4 xfs btrfs) swap=[^ ]*,$(uuid_of swap) .* failed=0 end" serial
}

one() { # WISH
	local system size bus identities rest
	IFS=, read -r system size bus identities rest <<<"$1"
	make_system "$system"
	# shellcheck disable=SC2086 # several options
	copy_system "$system" "$size" "$identities" ${rest//,/ }
	check_copy "$(losetup -nO NAME -j "$PWD/copy.img" | head -n 1)"
	undo
	boot_copy "$system" "$bus"
}

for wish in "$@"; do
	name=${wish//[^a-zA-Z0-9]/_}
	eval "$name() { one '$wish'; }"
	SECONDS=0
	run_case "$name" &
	if wait $!; then
		result="booted in $SECONDS s"
	else
		result=FAILED
	fi
	[ -z "${BOOTS_LOGS:-}" ] || cp "$work/$name.log" "$BOOTS_LOGS/"
	printf '| %s | %s |\n' "$wish" "$result"
done
