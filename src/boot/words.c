/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "boot/boot.h"

#define append(line, ...) text_append((line), BOOT_LINE_MAX, "", __VA_ARGS__)

static void say_bios(const struct boot_look *look, char line[static BOOT_LINE_MAX])
{
	const struct boot_item *code = boot_find(look, BOOT_CODE);
	const struct boot_item *core = boot_find(look, BOOT_GRUB_CORE);
	const struct boot_item *active = boot_find(look, BOOT_ACTIVE);

	if (!code)
		append(line, "%s", _("BIOS: no boot code in the first sector"));
	else if (core && core->partition)
		append(line, _("BIOS: GRUB, its core in partition %u"), core->partition);
	else if (core)
		append(line, "%s", _("BIOS: GRUB, its core before the first partition"));
	else if (active)
		append(line, _("BIOS: boot code, which starts the active partition %u (%s)"),
		       active->partition, active->text[0] ? active->text : _("unknown code"));
	else
		append(line, _("BIOS: boot code (%s), and nothing known that it starts"),
		       code->text[0] ? code->text : _("unknown code"));
}

/* The loaders that every firmware finds, or those for which it needs a boot entry. */
static unsigned list_loaders(const struct boot_look *look, bool fallback,
			     char line[static BOOT_LINE_MAX])
{
	unsigned count = 0;

	for (size_t i = 0; i < look->count; i++) {
		const struct boot_item *item = &look->items[i];
		bool found = strncmp(item->text, "\\EFI\\BOOT\\", 10) == 0;

		if (item->kind != BOOT_LOADER || boot_is_fallback(item->text) != fallback ||
		    (found && !fallback) || ++count > 2)
			continue;
		append(line, "%s%s", count > 1 ? ", " : " ", item->text);
	}
	if (count > 2)
		append(line, ", …");
	return count;
}

static void say_uefi(const struct boot_look *look, char line[static BOOT_LINE_MAX])
{
	const struct boot_item *esp = boot_find(look, BOOT_ESP);
	char others[BOOT_LINE_MAX] = "";
	unsigned found;

	if (!esp) {
		append(line, "%s", _("UEFI: no EFI system partition that can be read"));
		return;
	}
	append(line, _("UEFI: partition %u:"), esp->partition);
	found = list_loaders(look, true, line);
	if (list_loaders(look, false, others))
		append(line, found ? _("; with a boot entry:%s") : _(" only with a boot entry:%s"),
		       others);
	else if (!found)
		append(line, " %s", _("no loader in it"));
	if (boot_find(look, BOOT_BCD))
		append(line, "; %s", _("Windows' boot configuration"));
	if (boot_find(look, BOOT_LIST))
		append(line, "; %s", _("entries of systemd-boot"));
}

static const char *where(const struct boot_item *item)
{
	switch (item->kind) {
	case BOOT_CODE:
		return _("the boot code in the first sector");
	case BOOT_GRUB_CORE:
		return _("the core of GRUB");
	case BOOT_ACTIVE:
		return _("the boot code of the active partition");
	case BOOT_ESP:
		return _("the folders of the EFI system partition");
	default:
		return item->text;
	}
}

bool boot_line(const struct boot_look *look, size_t index, char line[static BOOT_LINE_MAX])
{
	line[0] = '\0';
	if (!look->read)
		return false;
	if (index < 2) {
		(index ? say_uefi : say_bios)(look, line);
		return true;
	}
	index -= 2;
	for (size_t i = 0; i < look->count; i++)
		if (look->items[i].lost && index-- == 0) {
			append(line, _("IN A BAD AREA: %s"), where(&look->items[i]));
			return true;
		}
	return false;
}

const char *boot_kind_name(enum boot_kind kind)
{
	static const char *const names[BOOT_KINDS] = {
		[BOOT_CODE] = "bios-code",    [BOOT_GRUB_CORE] = "grub-core",
		[BOOT_ACTIVE] = "active",     [BOOT_ESP] = "efi-system-partition",
		[BOOT_LOADER] = "efi-loader", [BOOT_BCD] = "windows-bcd",
		[BOOT_LIST] = "systemd-boot",
	};

	return names[kind];
}
