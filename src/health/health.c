/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/health.h"

#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"

/* Deeper than smartctl ever nests; what nests deeper is not from it. */
#define DEPTH_MAX 16

#define ATTRIBUTE_REALLOCATED   5
#define ATTRIBUTE_PENDING       197
#define ATTRIBUTE_UNCORRECTABLE 198
#define ATTRIBUTE_CRC           199

static const struct {
	const char *name, *label, *unit;
	bool damage; /* what is more than 0 speaks against the disk */
} fields[HEALTH_FIELDS] = {
	[HEALTH_TEMPERATURE] = { "temperature", N_("temperature"), " C" },
	[HEALTH_POWER_ON] = { "power_on_hours", N_("power-on time"), " h" },
	[HEALTH_REALLOCATED] = { "reallocated_sectors", N_("reallocated sectors"), "", true },
	[HEALTH_PENDING] = { "pending_sectors", N_("pending sectors"), "", true },
	[HEALTH_UNCORRECTABLE] = { "uncorrectable_sectors", N_("uncorrectable sectors"), "", true },
	[HEALTH_CRC_ERRORS] = { "interface_crc_errors", N_("CRC errors of the cable"), "", true },
	[HEALTH_GROWN_DEFECTS] = { "grown_defects", N_("grown defects"), "", true },
	[HEALTH_READ_CORRECTED] = { "read_errors_corrected", N_("read errors corrected"), "" },
	[HEALTH_READ_UNCORRECTED] = { "read_errors_uncorrected", N_("read errors uncorrected"), "",
				      true },
	[HEALTH_WRITE_CORRECTED] = { "write_errors_corrected", N_("write errors corrected"), "" },
	[HEALTH_WRITE_UNCORRECTED] = { "write_errors_uncorrected", N_("write errors uncorrected"),
				       "", true },
	[HEALTH_VERIFY_CORRECTED] = { "verify_errors_corrected", N_("verify errors corrected"),
				      "" },
	[HEALTH_VERIFY_UNCORRECTED] = { "verify_errors_uncorrected",
					N_("verify errors uncorrected"), "", true },
	[HEALTH_MEDIA_ERRORS] = { "media_errors", N_("media errors"), "", true },
	[HEALTH_WARNINGS] = { "critical_warning", N_("critical warnings"), "", true },
	[HEALTH_SPARE] = { "available_spare", N_("spare blocks left"), " %" },
	[HEALTH_USED] = { "percentage_used", N_("endurance used"), " %" },
};

const char *health_field_name(enum health_field field)
{
	return fields[field].name;
}

const char *health_field_label(enum health_field field)
{
	return _(fields[field].label);
}

const char *health_field_unit(enum health_field field)
{
	return fields[field].unit;
}

void health_clear(struct health *health, const char *why)
{
	*health = (struct health){ .passed = UNKNOWN };
	for (int i = 0; i < HEALTH_FIELDS; i++)
		health->values[i] = HEALTH_UNKNOWN;
	text_copy(health->why, sizeof(health->why), why ? why : "");
}

bool health_is_known(const struct health *health)
{
	if (health->time == 0)
		return false;
	for (int i = 0; i < HEALTH_FIELDS; i++)
		if (health->values[i] != HEALTH_UNKNOWN)
			return true;
	return health->passed != UNKNOWN;
}

enum health_state health_judge(const struct health *health, int64_t *retsectors)
{
	/* The first two count different sectors, the others may count the same ones again. */
	static const enum health_field counters[] = { HEALTH_UNCORRECTABLE, HEALTH_GROWN_DEFECTS,
						      HEALTH_READ_UNCORRECTED,
						      HEALTH_MEDIA_ERRORS };
	const int64_t *values = health->values;
	int64_t moved = values[HEALTH_REALLOCATED] > 0 ? values[HEALTH_REALLOCATED] : 0;
	int64_t pending = values[HEALTH_PENDING] > 0 ? values[HEALTH_PENDING] : 0;

	*retsectors = 0;
	if (!health_is_known(health))
		return HEALTH_STATE_UNKNOWN;
	if (health->passed == NO || values[HEALTH_WARNINGS] > 0)
		return HEALTH_STATE_FAILING;
	if (__builtin_add_overflow(moved, pending, retsectors))
		*retsectors = INT64_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (values[counters[i]] > *retsectors)
			*retsectors = values[counters[i]];
	if (*retsectors)
		return HEALTH_STATE_WEAK;
	return health->passed == YES ? HEALTH_STATE_GOOD : HEALTH_STATE_UNKNOWN;
}

char *health_print(const struct health *health, char *to, size_t size)
{
	text_copy(to, size,
		  health->passed == UNKNOWN ? "" : (health->passed ? _("passed") : _("FAILING")));
	/* A narrow screen cuts the end. */
	for (int damage = 1; damage >= 0; damage--)
		for (int i = 0; i < HEALTH_FIELDS; i++)
			if (health->values[i] != HEALTH_UNKNOWN &&
			    (fields[i].damage && health->values[i] > 0) == damage)
				text_join(to, size, "%s %" PRId64 "%s",
					  health_field_label((enum health_field)i),
					  health->values[i],
					  health_field_unit((enum health_field)i));
	return to;
}

static json_object *member(json_object *object, const char *name, json_type type)
{
	json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

static void take(json_object *object, const char *name, int64_t *ret)
{
	json_object *value = member(object, name, json_type_int);
	int64_t number = value ? json_object_get_int64(value) : -1;

	/* Only the temperature can be negative. */
	if (number >= 0)
		*ret = number;
}

static void take_ata(json_object *root, struct health *ret)
{
	json_object *table = member(member(root, "ata_smart_attributes", json_type_object), "table",
				    json_type_array);
	size_t count = table ? json_object_array_length(table) : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *attribute = json_object_array_get_idx(table, i);
		json_object *raw = member(attribute, "raw", json_type_object);
		int64_t id = 0;

		take(attribute, "id", &id);
		switch (id) {
		case ATTRIBUTE_REALLOCATED:
			take(raw, "value", &ret->values[HEALTH_REALLOCATED]);
			break;
		case ATTRIBUTE_PENDING:
			take(raw, "value", &ret->values[HEALTH_PENDING]);
			break;
		case ATTRIBUTE_UNCORRECTABLE:
			take(raw, "value", &ret->values[HEALTH_UNCORRECTABLE]);
			break;
		case ATTRIBUTE_CRC:
			take(raw, "value", &ret->values[HEALTH_CRC_ERRORS]);
			break;
		default:
			break;
		}
	}
}

static void take_scsi_errors(json_object *root, const char *name, int64_t *corrected,
			     int64_t *uncorrected)
{
	json_object *errors = member(member(root, "scsi_error_counter_log", json_type_object), name,
				     json_type_object);

	take(errors, "total_errors_corrected", corrected);
	take(errors, "total_uncorrected_errors", uncorrected);
}

static void take_scsi(json_object *root, struct health *ret)
{
	int64_t *values = ret->values;

	take(root, "scsi_grown_defect_list", &values[HEALTH_GROWN_DEFECTS]);
	take(root, "scsi_percentage_used_endurance_indicator", &values[HEALTH_USED]);
	take_scsi_errors(root, "read", &values[HEALTH_READ_CORRECTED],
			 &values[HEALTH_READ_UNCORRECTED]);
	take_scsi_errors(root, "write", &values[HEALTH_WRITE_CORRECTED],
			 &values[HEALTH_WRITE_UNCORRECTED]);
	take_scsi_errors(root, "verify", &values[HEALTH_VERIFY_CORRECTED],
			 &values[HEALTH_VERIFY_UNCORRECTED]);
}

/* Of a SCSI disk that tells neither, smartctl says that it has 0 degrees and may have no more. */
static void take_temperature(json_object *root, struct health *ret)
{
	json_object *temperature = member(root, "temperature", json_type_object);
	int64_t current = HEALTH_UNKNOWN, most = HEALTH_UNKNOWN;

	take(temperature, "current", &current);
	take(temperature, "drive_trip", &most);
	/* Before smartctl 7.4 it is there. */
	take(member(root, "scsi_temperature", json_type_object), "drive_trip", &most);
	if (current != 0 || most != 0)
		ret->values[HEALTH_TEMPERATURE] = current;
}

static void take_nvme(json_object *root, struct health *ret)
{
	json_object *log = member(root, "nvme_smart_health_information_log", json_type_object);

	take(log, "media_errors", &ret->values[HEALTH_MEDIA_ERRORS]);
	take(log, "critical_warning", &ret->values[HEALTH_WARNINGS]);
	take(log, "available_spare", &ret->values[HEALTH_SPARE]);
	take(log, "percentage_used", &ret->values[HEALTH_USED]);
}

/* smartctl's own word for why it knows nothing. */
static void take_message(json_object *root, struct health *ret)
{
	json_object *messages =
		member(member(root, "smartctl", json_type_object), "messages", json_type_array);
	json_object *text = messages ? member(json_object_array_get_idx(messages, 0), "string",
					      json_type_string)
				     : NULL;

	if (text)
		text_sanitise(ret->why, sizeof(ret->why), json_object_get_string(text),
			      strlen(json_object_get_string(text)));
	else
		text_copy(ret->why, sizeof(ret->why), _("The disk does not report its health."));
}

static void take_all(json_object *root, struct health *ret)
{
	json_object *passed =
		member(member(root, "smart_status", json_type_object), "passed", json_type_boolean);

	if (passed)
		ret->passed = json_object_get_boolean(passed) ? YES : NO;
	take_temperature(root, ret);
	take(member(root, "power_on_time", json_type_object), "hours",
	     &ret->values[HEALTH_POWER_ON]);
	take_ata(root, ret);
	take_scsi(root, ret);
	take(member(root, "endurance_used", json_type_object), "current_percent",
	     &ret->values[HEALTH_USED]);
	take_nvme(root, ret);
	if (!health_is_known(ret))
		take_message(root, ret);
}

void health_parse(const char *text, size_t length, struct health *ret)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	json_object *root = tokener && length <= INT32_MAX
				    ? json_tokener_parse_ex(tokener, text, (int)length)
				    : NULL;

	if (json_object_is_type(root, json_type_object))
		take_all(root, ret);
	else
		text_copy(ret->why, sizeof(ret->why),
			  _("The output of smartctl cannot be understood."));
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
}
