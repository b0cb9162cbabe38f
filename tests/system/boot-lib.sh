# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A tiny disk to start from, which prints a word from code in its middle, by BIOS and by UEFI; and
# whether a machine starts from others. Sourced after lib.sh.
lab=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../lab" && pwd -P)

second_stage=$((11 * 1048576)) # in the second partition: sector 0x5800

# Prints through the serial port and stops.
uefi_program() { # FILE
	cat >program.c <<-PROGRAM
		__attribute__((ms_abi)) void start(void *image, void *table)
		{
			for (const char *p = "started-by-uefi\n"; *p; p++)
				__asm__ volatile("outb %0, %1" : : "a"(*p), "Nd"((short)0x3f8));
			for (;;)
				__asm__ volatile("hlt");
		}
	PROGRAM
	"${CC:-cc}" -ffreestanding -fpie -fvisibility=hidden -fno-stack-protector -mno-red-zone \
		-fno-asynchronous-unwind-tables -fno-ident -O1 -c program.c
	ld -m i386pep --subsystem 10 -e start --dynamicbase --enable-reloc-section -o "$1" program.o
}

# The first sector reads another one from the middle of the disk by the BIOS and goes on there,
# which prints.
bios_programs() { # FIRST SECOND
	# xor ax,ax; mov ds,ax; mov es,ax; mov ss,ax; mov sp,0x7c00; mov si,0x7c20; mov ah,0x42;
	# int 0x13; jmp 0:0x7e00
	{
		printf '\x31\xc0\x8e\xd8\x8e\xc0\x8e\xd0\xbc\x00\x7c\xbe\x20\x7c\xb4\x42'
		printf '\xcd\x13\xea\x00\x7e\x00\x00\xf4\xf4\xf4\xf4\xf4\xf4\xf4\xf4\xf4'
		# One sector to 0:0x7e00, and its number.
		printf '\x10\x00\x01\x00\x00\x7e\x00\x00'
		printf '\x00\x58\x00\x00\x00\x00\x00\x00'
	} >"$1"
	# mov dx,0x3f8; mov si,0x7e11; lodsb; test al,al; jz +3; out dx,al; jmp -8; hlt; jmp -3
	printf '\xba\xf8\x03\xbe\x11\x7e\xac\x84\xc0\x74\x03\xee\xeb\xf8\xf4\xeb\xfdstarted-by-bios\n\0' >"$2"
}

bootable_disk() { # IMAGE
	noise 16M >"$1"
	sfdisk -q --wipe always "$1" <<-TABLE
		label: gpt
		start=1MiB, size=6MiB, type=uefi
		start=8MiB, size=7MiB, type=linux
	TABLE
	bios_programs first second
	dd if=first of="$1" conv=notrunc status=none
	dd if=second of="$1" bs=512 seek=$((second_stage / 512)) conv=notrunc status=none
	uefi_program BOOTX64.EFI
	truncate -s 6M esp
	mkfs.vfat esp >/dev/null
	mmd -i esp ::EFI ::EFI/BOOT
	mcopy -i esp BOOTX64.EFI ::EFI/BOOT/
	noise 5M >data
	mcopy -i esp data ::
	dd if=esp of="$1" bs=1M seek=1 conv=notrunc status=none
}

# old_bootable_disk IMAGE: which a clone replaces; it could be started from, too, but for its code.
old_bootable_disk() {
	bootable_disk "$1"
	dd if=/dev/zero of="$1" bs=512 seek=$((second_stage / 512)) count=1 conv=notrunc status=none
}

# starts FIRMWARE YES-OR-NO IMAGE...: from any of them
starts() {
	local firmware=$1 expected=$2 at_once=15 found=no status
	shift 2
	[ "$firmware" = bios ] || at_once=120
	while [ $# -gt 0 ]; do
		status=0
		"$lab/qemu-boot" "$firmware" "started-by-$firmware" "${@:1:at_once}" || status=$?
		case $status in
		0) found=yes ;;
		1) ;;
		*) fail "$firmware from $*: $status" ;;
		esac
		shift $(($# < at_once ? $# : at_once))
	done
	[ "$found" = "$expected" ] || fail "$firmware from $*: $found, expected $expected"
}

# Both firmwares at a time.
both_start() { # YES-OR-NO IMAGE...
	local bios
	starts bios "$@" &
	bios=$!
	starts uefi "$@"
	wait "$bios"
}

# As grub-bios-setup does it: both parts are told where the next one lies.
put_bios_code() { # IMAGE
	head -c 440 /usr/lib/grub/i386-pc/boot.img >code
	printf '\x00\x08\x00\x00\x00\x00\x00\x00' | dd of=code bs=1 seek=$((0x5c)) conv=notrunc status=none
	printf '\x01\x08\x00\x00\x00\x00\x00\x00' | dd of=core.img bs=1 seek=$((0x1f4)) conv=notrunc status=none
	dd if=code of="$1" conv=notrunc status=none
	dd if=core.img of="$1" bs=512 seek=2048 conv=notrunc status=none
}
