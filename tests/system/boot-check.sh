#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A small system of GRUB's on a GPT disk, for BIOS and UEFI: what of it can start is told before and
# after the copy, and it starts from the copy alone.
. "$(dirname -- "$0")/lib.sh"
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
. "$here/boot-lib.sh"
need jq cryptsetup

root_uuid=11111111-2222-4333-8444-555555555555

# grub_disk IMAGE: a BIOS boot partition, an ESP with a loader under \EFI\debian and as
# \EFI\BOOT\BOOTX64.EFI, and ext4 with fstab and grub.cfg, which find it by its UUID. Says so
# through the serial port when it has.
grub_disk() {
	local modules='part_gpt fat ext2 search search_fs_uuid search_fs_file echo serial terminal sleep test normal configfile'
	truncate -s 64M "$1"
	sfdisk -q --wipe always "$1" <<-TABLE
		label: gpt
		start=1MiB, size=1MiB, type=21686148-6449-6E6F-744E-656564454649
		start=2MiB, size=34MiB, type=uefi, name=ESP
		start=36MiB, size=24MiB, type=linux, name=root
	TABLE
	make_root
	dd if=rootfs of="$1" bs=1M seek=36 conv=notrunc status=none
	cat >early.cfg <<-CFG
		serial --unit=0
		terminal_output serial
		search --no-floppy --file --set=root /etc/fstab
		configfile (\$root)/boot/grub/grub.cfg
	CFG
	# shellcheck disable=SC2086 # several names
	grub-mkimage -O i386-pc -c early.cfg -p /boot/grub -o core.img biosdisk $modules
	# shellcheck disable=SC2086
	grub-mkimage -O x86_64-efi -c early.cfg -p /boot/grub -o grubx64.efi $modules
	put_bios_code "$1"
	make_esp
	dd if=esp of="$1" bs=1M seek=2 conv=notrunc status=none
}

make_root() {
	mkdir -p root/boot/grub root/etc
	cat >root/boot/grub/grub.cfg <<-CFG
		search --no-floppy --fs-uuid --set=root $root_uuid
		if [ -f (\$root)/etc/fstab ]; then echo "started-by-bios started-by-uefi"; fi
		sleep 1000
	CFG
	cat >root/etc/fstab <<-FSTAB
		UUID=$root_uuid / ext4 defaults 0 1
		UUID=ABCD-1234 /boot/efi vfat defaults 0 0
	FSTAB
	echo "data UUID=$root_uuid none luks" >root/etc/crypttab
	mkfs.ext4 -q -U "$root_uuid" -L root -d root rootfs 24M
}

make_esp() {
	truncate -s 34M esp
	mkfs.vfat -F 32 -i ABCD1234 -n ESP esp >/dev/null
	mmd -i esp ::EFI ::EFI/debian ::EFI/BOOT ::loader ::loader/entries
	mcopy -i esp grubx64.efi ::EFI/debian/shimx64.efi
	mcopy -i esp grubx64.efi ::EFI/BOOT/BOOTX64.EFI
	echo 'title Debian' >debian-with-a-long-name.conf
	mcopy -i esp debian-with-a-long-name.conf ::loader/entries/
}

json_says() { # FILTER
	jq -e "$1" json >/dev/null || {
		jq . json
		fail "not so: $1"
	}
}

what_can_start_is_told_and_starts() {
	grub_disk source.img
	truncate -s 64M copy.img
	source=$(attach "$PWD/source.img")
	destination=$(attach "$PWD/copy.img")
	run 0 clone -s "$source" -d "$destination" --dry-run
	says 'can start a machine: BIOS: GRUB, its core in partition 1; UEFI: partition 2'
	says 'disk GUID, 3 PARTUUIDs, 1 UUID of vfat, 1 UUID of ext4'
	run 0 clone -s "$source" -d "$destination" --dry-run --json
	cp out json
	json_says '[.boot[].kind] == ["bios-code", "grub-core", "efi-system-partition", "efi-loader",
		"efi-loader", "systemd-boot"]'
	clone 0 "$source" "$destination"
	says "--part 2 --label debian --loader '\EFI\debian\shimx64.efi'"
	cp logs/*.json json
	json_says '[.boot.found[] | select(.lost)] == []'
	json_says '[.boot.found[].text] | contains(["\\EFI\\BOOT\\BOOTX64.EFI",
		"\\loader\\entries\\debian-with-a-long-name.conf"])'
	json_says '[.identifiers[] | select(.of == "contents") | .value] == ["ABCD-1234",
		"11111111-2222-4333-8444-555555555555"]'
	detach "$source"
	detach "$destination"
	both_start yes copy.img
}

a_copy_with_new_identifiers_starts_too() {
	grub_disk source.img
	truncate -s 64M copy.img
	source=$(attach "$PWD/source.img")
	destination=$(attach "$PWD/copy.img")
	clone 0 "$source" "$destination" --identities=new
	says 'TO DO: etc/fstab of partition 3 names 2 old identifiers'
	cp logs/*.json json
	json_says '.result == "COMPLETE" and .exit_code == 0'
	json_says '[.identifiers[] | select(.changed_to == null or .changed_to == .value)] == []'
	rm -r logs
	# Again, from the start: all is as on the source first.
	clone 0 "$source" "$destination" --identities=new,rewrite
	says 'etc/fstab of partition 3: 2 names rewritten'
	says 'TO DO: initramfs of partition 3: not changed'
	cp logs/*.json json
	new=$(jq -r '.identifiers[] | select(.fs == "ext4") | .changed_to' json)
	detach "$source"
	detach "$destination"
	sfdisk --verify copy.img
	part_of copy.img 36 24 >rootfs
	e2fsck -fn rootfs
	[ "$(blkid -p -s UUID -o value rootfs)" = "$new" ]
	debugfs -R 'cat /etc/fstab' rootfs | grep "UUID=$new / ext4"
	debugfs -R 'cat /boot/grub/grub.cfg' rootfs | grep "$new"
	part_of copy.img 2 34 >esp
	fsck.vfat -n esp
	both_start yes copy.img
}

part_of() { # IMAGE MIB MIB
	dd if="$1" bs=1M skip="$2" count="$3" status=none
}

luks_uuid=88888888-2222-4333-8444-555555555555

# volumes_disk NODE: the system in a volume of a Btrfs, as Debian's installer makes it, beside swap, a
# partition for /boot/firmware and a LUKS, of which nothing can be seen.
volumes_disk() {
	sfdisk -q --wipe always "$1" <<-TABLE
		label: dos
		label-id: 0x1234abcd
		start=1MiB, size=128MiB, type=83
		size=2MiB, type=82
		size=8MiB, type=83
		size=8MiB, type=83
	TABLE
	know_partitions "$1" 4
	mkfs.btrfs -q -U "$root_uuid" "$1p1"
	mkswap -q -U "${root_uuid//1/6}" "$1p2"
	mkfs.ext4 -q -U "${root_uuid//1/7}" "$1p3"
	cryptsetup -q luksFormat --type luks1 --pbkdf-force-iterations 1000 --uuid "$luks_uuid" "$1p4" <<<'a phrase'
	mount_at root "$1p1"
	btrfs -q subvolume create root/@rootfs
	mkdir -p root/@rootfs/{etc/initramfs-tools/conf.d,boot/extlinux}
	for name in "UUID=$root_uuid / btrfs subvol=@rootfs 0 0" "UUID=${root_uuid//1/6} none swap sw 0 0" \
		"UUID=${root_uuid//1/7} /boot/firmware ext4 defaults 0 2" 'PARTUUID=1234abcd-03 /mnt auto noauto 0 0'; do
		echo "$name"
	done >root/@rootfs/etc/fstab
	echo "RESUME=UUID=${root_uuid//1/6}" >root/@rootfs/etc/initramfs-tools/conf.d/resume
	echo "append root=UUID=$root_uuid" >root/@rootfs/boot/extlinux/extlinux.conf
	unmount root
	mount_at firmware "$1p3"
	echo 'console=tty1 root=PARTUUID=1234abcd-01' >firmware/cmdline.txt
	# As the /boot of a system in LUKS has it.
	mkdir -p firmware/grub firmware/loader/entries
	echo "cryptomount -u ${luks_uuid//-/}" >firmware/grub/grub.cfg
	echo "options rd.luks.name=$luks_uuid=root root=/dev/mapper/root" >firmware/loader/entries/system.conf
	: >firmware/initrd.img-6.1.0
	unmount firmware
}

no_old_identifier_is_left() {
	fallocate -l 160M source.img
	fallocate -l 160M copy.img
	source=$(attach "$PWD/source.img")
	volumes_disk "$source"
	partx --delete "$source"
	destination=$(attach "$PWD/copy.img")
	clone 0 "$source" "$destination" --identities=new,rewrite
	says 'cannot be searched or changed while it is closed'
	says 'grub/grub.cfg of partition 3: 1 name rewritten'
	says 'TO DO: initramfs of partition 3: not changed, it may name the old ones'
	says 'TO DO: partition 4 (crypto_LUKS) was not searched for old identifiers. If a system is in it'
	cp logs/*.json json
	detach "$source"
	know_partitions "$destination" 4
	mount_at "$case_dir/copy" "${destination}p1"
	mount_at "$case_dir/copy_firmware" "${destination}p3"
	jq -r '.identifiers[] | select(.changed_to != null) | .value' json >old
	grep -q "${root_uuid//1/6}" old
	grep -q "$luks_uuid" old
	echo "${luks_uuid//-/}" >>old
	! grep -rFf old copy copy_firmware || fail 'named still'
	jq -r '.identifiers[] | select(.fs == "btrfs" or .fs == "swap" or .value == "1234abcd-01" or
		.fs == "crypto_LUKS") | .changed_to, (select(.fs == "crypto_LUKS") | .changed_to | gsub("-"; ""))' \
		json >new
	[ "$(grep -rFof new copy copy_firmware | wc -l)" = 7 ]
}

# The fstab in a LUKS names what is outside of it, and cannot be changed.
a_system_in_luks_finds_its_disks() {
	grub_disk source.img
	truncate -s 64M copy.img
	source=$(attach "$PWD/source.img")
	know_partitions "$source" 3
	cryptsetup -q luksFormat --type luks1 --pbkdf-force-iterations 1000 --uuid "$luks_uuid" "${source}p3" <<<'a phrase'
	partx --delete "$source"
	destination=$(attach "$PWD/copy.img")
	run 0 clone -s "$source" -d "$destination" --identities=new,rewrite --dry-run
	says "If the system is in partition 3 of $source (no fstab is found outside), the copy on $destination keeps"
	clone 4 "$source" "$destination" --identities=new,rewrite
	says 'NOT DONE: new UUIDs and PARTUUIDs. Kept, so that the copy starts: no fstab was found outside of partition 3 (crypto_LUKS)'
	[ "$(grep -c 'NOT DONE\|TO DO' out)" = 1 ]
	cp logs/*.json json
	json_says '[.identifiers[] | .changed_to != null] == [true, false, false, false, false, false]'
	cmp -i 1MiB -n 62MiB source.img copy.img
	detach "$source"
	detach "$destination"
	sfdisk --verify copy.img
}

# lvm COMMAND NODE ARGUMENT...: with that member alone, and without the device mapper.
lvm() {
	"$1" -q --config "backup { backup=0 archive=0 }" --driverloaded n --devices "$2" "${@:3}"
}

new_volume() { # NODE NAME EXTENTS GROUP
	lvm lvcreate "$1" -y -an -Zn -Wn -n "$2" -l "$3" "$4"
}

# put_fs MIB MIB FOLDER: ext4 with that content, in the partition that begins at the first of these, and
# so far behind the first MiB of it.
put_fs() {
	truncate -s 8M fs
	mkfs.ext4 -q -F -d "$3" fs
	dd if=fs of=source.img bs=1M seek=$(($1 + 1 + $2)) conv=notrunc status=none
}

volume_at() { # MIB MIB
	dd if=copy.img bs=1M skip="$1" count="$2" status=none
}

# A system in two volumes, a group in which GRUB for a BIOS has its folder, and a volume in two pieces.
what_is_in_a_group_gets_new_ones() {
	truncate -s 64M source.img copy.img
	source=$(attach "$PWD/source.img")
	printf '%s\n' 'label: gpt' 'start=1MiB, size=19MiB, type=lvm' 'size=10MiB, type=lvm' \
		'size=14MiB, type=lvm' | sfdisk -q --wipe always "$source"
	know_partitions "$source" 3
	for number in 1 2 3; do
		lvm pvcreate "${source}p$number" --dataalignment 1m "${source}p$number"
		lvm vgcreate "${source}p$number" -s 1m "group$number" "${source}p$number"
	done
	new_volume "${source}p1" swap 8 group1
	new_volume "${source}p1" root 8 group1
	new_volume "${source}p2" boot 8 group2
	new_volume "${source}p3" data 8 group3
	new_volume "${source}p3" between 1 group3
	lvm lvextend "${source}p3" -l +1 group3/data
	detach "$source"
	mkdir -p root/etc/lvm/devices boot/boot/grub/i386-pc data
	truncate -s 8M swap
	mkswap -q -U "${root_uuid//1/6}" swap
	dd if=swap of=source.img bs=1M seek=2 conv=notrunc status=none
	echo "/dev/mapper/group1-root / ext4 defaults 0 1
UUID=${root_uuid//1/6} none swap sw 0 0" >root/etc/fstab
	member=$(blkid -p -O 1MiB -s UUID -o value source.img)
	echo "IDTYPE=devname IDNAME=/dev/sda1 PVID=${member//-/} PART=1" >root/etc/lvm/devices/system.devices
	put_fs 1 8 root
	put_fs 20 0 boot
	put_fs 30 0 data
	head -c 440 /usr/lib/grub/i386-pc/boot.img | dd of=source.img conv=notrunc status=none
	source=$(attach "$PWD/source.img")
	destination=$(attach "$PWD/copy.img")
	sha256sum source.img >before
	clone 4 "$source" "$destination" --identities=new,rewrite
	sha256sum -c before
	says 'NOT DONE: new UUID of partition 2 (LVM2_group group2). Kept, so that the copy starts'
	says 'NOT DONE: new UUID of partition 3 (ext4 group3/data). This volume does not lie in one piece'
	[ "$(grep -c 'NOT DONE' out)" = 3 ]
	says 'etc/fstab of partition 1: 1 name rewritten'
	cp logs/*.json json
	json_says '[.identifiers[] | select(.of == "group") | .changed_to != null] == [true, false, false]'
	json_says '[.identifiers[] | select(.fs == "LVM2_member") | .changed_to] | all(. != null)'
	json_says '[.identifiers[] | select(.volume == "group1/swap", .volume == "group1/root") | .changed_to] |
		length == 2 and all(. != null)'
	detach "$source"
	know_partitions "$destination" 3
	for number in 1 2 3; do
		lvm vgck "${destination}p$number" "group$number"
		lvm pvck "${destination}p$number" "${destination}p$number"
	done
	volume_at 10 8 >fs
	e2fsck -fn fs
	debugfs -R 'cat /etc/fstab' fs | grep "UUID=$(jq -r '.identifiers[] | select(.volume == "group1/swap").changed_to' json) none swap"
	member=$(lvm pvs "${destination}p1" --noheadings -o pv_uuid | tr -d ' -')
	debugfs -R 'cat /etc/lvm/devices/system.devices' fs | grep "PVID=$member"
}

what_keeps_its_identifier_is_no_success() {
	source=$(new_disk source 64)
	destination=$(new_disk copy 64)
	sfdisk -q --wipe always "$source" <<<'start=1MiB, size=60MiB, type=83'
	truncate -s 60M f2fs.img
	mkfs.f2fs -q f2fs.img
	dd if=f2fs.img of="$source" bs=1M seek=1 conv=notrunc status=none
	clone 4 "$source" "$destination" --identities=new
	says 'NOT DONE: new UUID of partition 1 (f2fs). There is no tool that does it.'
	says 'COMPLETE'
	cp logs/*.json json
	json_says '.result == "COMPLETE" and .exit_code == 4'
	json_says '[.identifiers[] | select(.of != "contents") | .changed_to] | all(. != null)'
	rm -r logs
	run 4 clone -s "$source" -d "$destination" --identities=new --confirm "$destination" --json --log-dir logs
	jq -es '.[-2].exit_code == 4 and .[-1].exit_code == 4' out
	run 3 clone -s "$source" -d "$PWD/new.img" --identities=new --confirm x --log-dir logs
	says 'new-identities'
	[ ! -e new.img ]
}

groups=(what_is_in_a_group_gets_new_ones)
command -v pvcreate >/dev/null || groups=()
run_together 3 what_can_start_is_told_and_starts a_copy_with_new_identifiers_starts_too \
	no_old_identifier_is_left a_system_in_luks_finds_its_disks "${groups[@]}" what_keeps_its_identifier_is_no_success
