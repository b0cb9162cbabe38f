/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/sum.h"

#include <errno.h>
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/i18n.h"

struct sum {
	gcry_md_hd_t md;
	int algorithm; /* libgcrypt's number */
};

static const int numbers[SUM_ALGORITHMS] = {
	[SUM_SHA256] = GCRY_MD_SHA256,
	[SUM_SHA512] = GCRY_MD_SHA512,
	[SUM_BLAKE2B] = GCRY_MD_BLAKE2B_512,
	[SUM_SHA1] = GCRY_MD_SHA1,
	[SUM_MD5] = GCRY_MD_MD5,
};

/* Nothing here is a secret, so no memory is locked for secrets. */
static void begin_library(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

int sum_new(enum sum_algorithm algorithm, struct sum **ret, struct error *reterr)
{
	struct sum *sum = calloc(1, sizeof(*sum));
	gcry_error_t why;

	if (!sum)
		return error_nomem(reterr);
	begin_library();
	sum->algorithm = numbers[algorithm];
	why = gcry_md_open(&sum->md, sum->algorithm, 0);
	if (!why) {
		*ret = sum;
		return 0;
	}
	free(sum);
	if (gcry_err_code_to_errno(gcry_err_code(why)) == ENOMEM)
		return error_nomem(reterr);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "digest",
			 sum_title(algorithm), _("%s cannot be computed on this machine: %s."),
			 sum_title(algorithm), gcry_strerror(why));
}

void sum_add(struct sum *sum, const void *data, size_t length)
{
	gcry_md_write(sum->md, data, length);
}

const char *sum_take(struct sum *sum, char hex[static SUM_HEX_MAX])
{
	const unsigned char *bytes = gcry_md_read(sum->md, sum->algorithm);
	unsigned length = gcry_md_get_algo_dlen(sum->algorithm);

	for (unsigned i = 0; i < length; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", bytes[i]);
	gcry_md_reset(sum->md);
	return hex;
}

void sum_destroy(struct sum *sum)
{
	if (!sum)
		return;
	gcry_md_close(sum->md);
	free(sum);
}
