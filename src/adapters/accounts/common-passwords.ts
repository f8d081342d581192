import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Ranks of the list that are kept whatever their length: they are refused with digits around them, too. */
const ranks = 10_000;
/** Shorter passwords are refused anyway. */
const shortest = 10;

/**
 * Reads the list of the package without its code, which would keep all 49,000 entries in memory: the 10,000 most common ones, and the
 * others that are long enough, about 1 MB. Source: docs/decisions/0083.
 */
async function load(): Promise<ReadonlySet<string>> {
  const file = import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json');
  const all = JSON.parse(await readFile(fileURLToPath(file), 'utf8')) as readonly string[];
  return new Set(all.filter((password, rank) => rank < ranks || password.length >= shortest));
}

/** Common passwords in lower case, read on first use. */
export function createCommonPasswords(): () => Promise<ReadonlySet<string>> {
  let loading: Promise<ReadonlySet<string>> | null = null;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    }));
}
