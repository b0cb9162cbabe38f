/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small, well-known functions. Those on integers and short texts are for what stays within the
 * program: what lies on a medium or in a file is hashed by XXH3 (digest/digest.h). No defence
 * against somebody who wants two things to look alike.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014;
 * constants and code by Vigna, prng.di.unimi.it/splitmix64.c): what the generator returns in
 * this state. Different states give different numbers, and neighbours look unrelated.
 */
static inline uint64_t splitmix64(uint64_t state)
{
	uint64_t z = state + 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

#define FNV1A_START 0xcbf29ce484222325ULL

/* FNV-1a of 64 bits (Fowler, Noll and Vo): begin with FNV1A_START, go on with the last result. */
static inline uint64_t fnv1a(uint64_t hash, const void *data, size_t length)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash;
}

#define CRC32_IEEE 0xedb88320U /* of IEEE 802.3: GPT, F2FS */

/* A CRC of 32 bits, lowest bit first, with this (reflected) polynomial. Most begin with ~0 and turn
 * the result over (~). Half a byte at a time: the table is small enough to be made for each call.
 */
static inline uint32_t crc32(uint32_t crc, uint32_t polynomial, const void *data, size_t length)
{
	const unsigned char *bytes = data;
	uint32_t half[16];

	for (uint32_t i = 0; i < 16; i++) {
		half[i] = i;
		for (int bit = 0; bit < 4; bit++)
			half[i] = half[i] >> 1 ^ (polynomial & -(half[i] & 1));
	}
	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ half[crc & 15];
		crc = crc >> 4 ^ half[crc & 15];
	}
	return crc;
}
