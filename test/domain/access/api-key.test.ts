import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { hashKey, keyIsLive, looksLikeKey, newKeySecret, type ApiKeyRecord } from '#src/domain/access/api-key.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);

function key(more: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    _id: 'key_a',
    hash: 'h',
    prefix: 'ink_svc_abcd',
    kind: 'service',
    name: 'A',
    organizationId: 'org_a',
    projectId: 'prj_a',
    deviceId: null,
    agentGraphId: null,
    createdBy: 'test',
    createdAt: now,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    graceUntil: null,
    ...more,
  };
}

/** Six base62 digits of the CRC32 of all characters before them. */
function checksumOfEarlierVersions(body: string): string {
  const digits = (value: number, left: number): string =>
    left === 0 ? '' : digits(Math.floor(value / 62), left - 1) + (base62[value % 62] ?? '');
  return digits(crc32(body), 6);
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('Secrets of API keys', () => {
  test('say their kind, and carry 32 random and 6 check characters', () => {
    expect(newKeySecret('workflow')).toMatch(/^ink_wf_[0-9A-Za-z]{38}$/);
    expect(newKeySecret('service')).toMatch(/^ink_svc_[0-9A-Za-z]{38}$/);
    expect(new Set(Array.from({ length: 1_000 }, () => newKeySecret('service'))).size).toBe(1_000);
  });

  test('use every character of the alphabet about equally', () => {
    const counts = new Map<string, number>();
    const secrets = Array.from({ length: 2_000 }, () => newKeySecret('service').slice(8, 40));
    for (const letter of secrets.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 64,000 characters: about 1,032 each, and a deviation of 32.
    for (const count of counts.values()) expect(Math.abs(count - 1_032)).toBeLessThan(230);
  });

  test('a genuine one is recognized', () => {
    for (const kind of ['workflow', 'service'] as const)
      for (let round = 0; round < 50; round += 1) expect(looksLikeKey(newKeySecret(kind))).toBe(true);
  });

  test('any one wrong, missing, doubled or swapped character is noticed', () => {
    const secret = newKeySecret('workflow');
    for (let at = 0; at < secret.length; at += 1) {
      const [head, letter, tail] = [secret.slice(0, at), secret[at] ?? '', secret.slice(at + 1)];
      for (const other of base62.replace(letter, '')) expect(looksLikeKey(head + other + tail)).toBe(false);
      expect(looksLikeKey(head + tail)).toBe(false);
      expect(looksLikeKey(head + letter + letter + tail)).toBe(false);
      const next = tail[0] ?? letter;
      if (next !== letter) expect(looksLikeKey(head + next + letter + tail.slice(1))).toBe(false);
    }
  });

  test.each([
    '',
    ' ',
    'ink_wf_',
    'ink_wf_\n',
    `${newKeySecret('service')}\n`,
    ` ${newKeySecret('service')}`,
    'ink_xx_'.padEnd(45, 'a'),
  ])('%j is none', (text) => {
    expect(looksLikeKey(text)).toBe(false);
  });

  test('the kind is part of the check', () => {
    expect(looksLikeKey(newKeySecret('workflow').replace('ink_wf_', 'ink_svc_'))).toBe(false);
  });

  test('that carry fewer scopes than their kind have a checksum that earlier versions refuse', () => {
    const secret = newKeySecret('service', true);
    expect(secret).toMatch(/^ink_svc_[0-9A-Za-z]{38}$/);
    expect([looksLikeKey(secret), checksumOfEarlierVersions(secret.slice(0, -6)) === secret.slice(-6)]).toEqual([
      true,
      false,
    ]);
    const usual = newKeySecret('service');
    expect(checksumOfEarlierVersions(usual.slice(0, -6))).toBe(usual.slice(-6));
  });

  test('what is stored is the SHA-256 in hexadecimal', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('A key', () => {
  test.each<[string, Partial<ApiKeyRecord>, boolean]>([
    ['without limits is live', {}, true],
    ['that expires later is live', { expiresAt: later(1) }, true],
    ['that expires now is not', { expiresAt: now }, false],
    ['that expired is not', { expiresAt: later(-1) }, false],
    ['that is revoked is not', { revokedAt: later(-1) }, false],
    [
      'that is revoked is not, though its grace goes on',
      { revokedAt: now, replacedBy: 'key_b', graceUntil: later(1) },
      false,
    ],
    ['that was rotated is live within its grace', { replacedBy: 'key_b', graceUntil: later(1) }, true],
    ['that was rotated is not when its grace ends', { replacedBy: 'key_b', graceUntil: now }, false],
    ['that was rotated without grace is not', { replacedBy: 'key_b' }, false],
    [
      'that was rotated and expired is not, though its grace goes on',
      { replacedBy: 'key_b', graceUntil: later(9), expiresAt: now },
      false,
    ],
  ])('%s', (_title, more, live) => {
    expect(keyIsLive(key(more), now)).toBe(live);
  });
});
