#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No machine starts from a half-made clone, and every one from a finished clone: a tiny disk made
# here, which prints a word from code in its middle, tried by BIOS and UEFI.
. "$(dirname -- "$0")/lib.sh"
lab=$(cd -- "$(dirname -- "$0")/../lab" && pwd -P)

MIB=1048576
second_stage=$((20 * MIB)) # in the second partition: sector 0xa000

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
		printf '\x00\xa0\x00\x00\x00\x00\x00\x00'
	} >"$1"
	# mov dx,0x3f8; mov si,0x7e11; lodsb; test al,al; jz +3; out dx,al; jmp -8; hlt; jmp -3
	printf '\xba\xf8\x03\xbe\x11\x7e\xac\x84\xc0\x74\x03\xee\xeb\xf8\xf4\xeb\xfdstarted-by-bios\n\0' >"$2"
}

bootable_disk() { # IMAGE
	truncate -s 32M "$1"
	sfdisk -q "$1" <<-TABLE
		label: gpt
		start=1MiB, size=8MiB, type=uefi
		start=10MiB, size=20MiB, type=linux
	TABLE
	bios_programs first second
	dd if=first of="$1" conv=notrunc status=none
	dd if=second of="$1" bs=512 seek=$((second_stage / 512)) conv=notrunc status=none
	uefi_program BOOTX64.EFI
	truncate -s 8M esp
	mkfs.vfat esp >/dev/null
	mmd -i esp ::EFI ::EFI/BOOT
	mcopy -i esp BOOTX64.EFI ::EFI/BOOT/
	dd if=esp of="$1" bs=1M seek=1 conv=notrunc status=none
}

# starts FIRMWARE YES-OR-NO IMAGE...: from any of them
starts() {
	local firmware=$1 expected=$2 status=0
	shift 2
	"$lab/qemu-boot" "$firmware" "started-by-$firmware" "$@" || status=$?
	case $expected:$status in
	yes:0 | no:1) ;;
	*) fail "$firmware from $*: $status, expected $expected" ;;
	esac
}

# Both firmwares at a time. A BIOS tries the first disk only, UEFI all.
both_start() { # YES-OR-NO IMAGE...
	local bios
	starts bios "$1" "$2" &
	bios=$!
	starts uefi "$@"
	wait "$bios"
}

a_half_made_clone_starts_nothing_and_a_finished_one_starts() {
	bootable_disk source.img
	# The old disk there was one to start from, too.
	cp source.img destination.img
	dd if=/dev/zero of=destination.img bs=512 seek=$((second_stage / 512)) count=1 \
		conv=notrunc status=none
	source=$(attach "$PWD/source.img")
	destination=$(attach "$PWD/destination.img")
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 8M >out 2>err &
	copy=$!
	# All that is needed is there: the partition of UEFI, and the code in the middle.
	wait_for same source.img "$second_stage" destination.img "$second_stage" 512
	kill -INT "$copy"
	wait "$copy" && fail "it was not stopped"
	nothing_to_find "$destination"
	# And the last moment at which the power may go: all is there but the key.
	cp source.img keyless.img
	dd if=/dev/zero of=keyless.img bs=512 count=1 conv=notrunc status=none
	both_start no destination.img keyless.img
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	cmp source.img destination.img
	both_start yes destination.img
}

run_cases a_half_made_clone_starts_nothing_and_a_finished_one_starts
