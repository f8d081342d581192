import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { loadsLater, rarePackages } from '#app/bundle/lighter.ts';

/** A use of each package. */
const uses: Readonly<Record<string, readonly [use: string, result: string]>> = {
  '@mongodb-js/saslprep': ["saslprep_1.saslprep('\u2168')", 'IX'],
  tr46: ["tr46.toASCII('m\u00fcller.de')", 'xn--mller-kva.de'],
};

test.each(rarePackages)('$source is loaded with its first use', async (rare) => {
  const fromDriver = createRequire(createRequire(import.meta.url).resolve('mongodb'));
  const file = fromDriver.resolve(rare.of);
  const fromFile = createRequire(file);
  const loaded: string[] = [];
  const load = (name: string): unknown => {
    loaded.push(name);
    return fromFile(name);
  };
  const text = loadsLater(await readFile(file, 'utf8'), rare);
  const [use, result] = uses[rare.source] ?? [];
  const body = `${text}\nreturn () => ${use};`;
  // oxlint-disable-next-line no-implied-eval -- the module, with a look at what it loads
  const useIt = new Function('require', 'module', 'exports', body)(load, { exports: {} }, {}) as () => unknown;
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded).not.toContain(rare.source);
  expect(useIt()).toBe(result);
  expect(loaded).toContain(rare.source);
});

test('a module that loads its package in a new way is not bundled', () => {
  const [rare] = rarePackages;
  if (rare === undefined) throw new Error('there are no such packages');
  expect(() => loadsLater('import saslprep from "@mongodb-js/saslprep";', rare)).toThrow('in a new way');
});
