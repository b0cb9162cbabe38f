# SPDX-License-Identifier: GPL-3.0-or-later
# The first sector of a first disk. Starts from the disks behind it as a BIOS does from the first:
# one that can be read and whose first sector ends in the mark is started, else the next one is
# tried. Prints a dot for each disk that it looks at, and at last that there is none.
	.code16
	.globl _start
_start:
	xorw %ax, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movw $0x7c00, %sp
	cld
	movw $0x7c00, %si # out of the way of those that are loaded
	movw $0x600, %di
	movw $256, %cx
	rep movsw
	ljmp $0, $next
next:
	incb drive
	movb drive, %al
	subb $0x80, %al
	cmpb 0x475, %al # so many disks the BIOS knows
	jae none
	movb $'.', %al
	call print
	movb $0x42, %ah
	movb drive, %dl
	movw $packet, %si
	int $0x13
	jc next
	cmpw $0xaa55, 0x7dfe
	jne next
	movb drive, %dl
	ljmp $0, $0x7c00
none:
	movw $nothing, %si
letter:
	lodsb
	call print
	cmpb $'\n', %al
	jne letter
stop:
	hlt
	jmp stop
print:
	movw $0x3f8, %dx
	outb %al, %dx
	ret
drive:
	.byte 0x80
nothing:
	.ascii "nothing to start from\n"
	.align 4
packet: # one sector to 0:0x7c00, the disk's first
	.byte 16, 0
	.word 1, 0x7c00, 0
	.quad 0
	.org 510
	.word 0xaa55
