/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest/checksum.h"

#include <errno.h>
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/i18n.h"

struct checksum {
	XXH3_state_t *xxh3; /* NULL: it is one of libgcrypt's */
	gcry_md_hd_t md;
	int algorithm; /* libgcrypt's number */
};

static const int numbers[CHECKSUM_ALGORITHMS] = {
	[CHECKSUM_SHA256] = GCRY_MD_SHA256,
	[CHECKSUM_SHA512] = GCRY_MD_SHA512,
	[CHECKSUM_BLAKE2B] = GCRY_MD_BLAKE2B_512,
	[CHECKSUM_SHA1] = GCRY_MD_SHA1,
	[CHECKSUM_MD5] = GCRY_MD_MD5,
};

/* Checksums are no secrets, so no memory is locked for secrets. */
static void begin_library(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static int open_md(struct checksum *sum, enum checksum_algorithm algorithm, struct error *reterr)
{
	gcry_error_t why;

	begin_library();
	sum->algorithm = numbers[algorithm];
	why = gcry_md_open(&sum->md, sum->algorithm, 0);
	if (!why)
		return 0;
	if (gcry_err_code_to_errno(gcry_err_code(why)) == ENOMEM)
		return error_nomem(reterr);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "digest",
			 checksum_title(algorithm), _("%s cannot be computed on this machine: %s."),
			 checksum_title(algorithm), gcry_strerror(why));
}

static int open_xxh3(struct checksum *sum, struct error *reterr)
{
	sum->xxh3 = XXH3_createState();
	if (!sum->xxh3)
		return error_nomem(reterr);
	XXH3_128bits_reset(sum->xxh3);
	return 0;
}

int checksum_new(enum checksum_algorithm algorithm, struct checksum **ret, struct error *reterr)
{
	struct checksum *sum = calloc(1, sizeof(*sum));
	int r;

	if (!sum)
		return error_nomem(reterr);
	r = algorithm == CHECKSUM_XXH3 ? open_xxh3(sum, reterr) : open_md(sum, algorithm, reterr);
	if (r < 0)
		free(sum);
	else
		*ret = sum;
	return r;
}

void checksum_add(struct checksum *sum, const void *data, size_t length)
{
	if (sum->xxh3)
		XXH3_128bits_update(sum->xxh3, data, length);
	else
		gcry_md_write(sum->md, data, length);
}

static void print_hex(const unsigned char *bytes, size_t length, char hex[static CHECKSUM_HEX_MAX])
{
	for (size_t i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

const char *checksum_take(struct checksum *sum, char hex[static CHECKSUM_HEX_MAX])
{
	XXH128_canonical_t canonical;

	if (sum->xxh3) {
		XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(sum->xxh3));
		print_hex(canonical.digest, sizeof(canonical.digest), hex);
		XXH3_128bits_reset(sum->xxh3);
	} else {
		print_hex(gcry_md_read(sum->md, sum->algorithm),
			  gcry_md_get_algo_dlen(sum->algorithm), hex);
		gcry_md_reset(sum->md);
	}
	return hex;
}

void checksum_destroy(struct checksum *sum)
{
	if (!sum)
		return;
	XXH3_freeState(sum->xxh3);
	gcry_md_close(sum->md);
	free(sum);
}
