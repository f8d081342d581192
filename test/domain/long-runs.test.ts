import { describe, expect, test } from 'vitest';
import { findAmounts } from '#src/domain/describe-locally/find-amounts.ts';
import { findContacts } from '#src/domain/describe-locally/find-contacts.ts';
import { readMoney } from '#src/domain/segment-locally/read-number.ts';
import { cutBytes } from '#graphs/models/request.ts';
import { askForJson } from '#graphs/models/ask-for-json.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const sizes = [20_000, 80_000] as const;

/** Milliseconds of computing for a text of each size. */
async function costs(work: (size: number) => unknown): Promise<readonly number[]> {
  const spent: number[] = [];
  for (const size of sizes) {
    const clock = cpuClock();
    await work(size);
    spent.push(clock());
  }
  return spent;
}

/** Four times the text may cost four times as much, not sixteen: 80,000 characters cost seconds before. */
async function isLinear(work: (size: number) => unknown): Promise<void> {
  await work(1_000);
  const [small = 0, large = 0] = await costs(work);
  expect(large).toBeLessThan(Math.max(100, small * 8));
}

describe('A long run in a document costs no more than its length', () => {
  test.each([
    ['groups of digits', (size: number) => `1${' 111'.repeat(size / 4)} x`],
    ['spaces after a tax', (size: number) => `VAT${' '.repeat(size)}x`],
  ])('in amounts: %s', (_, text) => isLinear((size) => findAmounts(text(size))));

  test.each(['tel', 'holder', 'weight'])('in contacts: spaces after %s', (label) =>
    isLinear((size) => findContacts(`${label}${' '.repeat(size)}x`)),
  );

  test('in a text that is cut: characters that no encoding has', () =>
    isLinear((size) => cutBytes(`${'\uFFFD'.repeat(size)}abc`, size * 3 + 1)));
});

test('amounts, taxes and contacts are found as before', () => {
  const named = (text: string) =>
    [...findAmounts(text), ...findContacts(text)].map(({ name, value }) => `${name} ${value}`);
  expect(named('VAT  7.5 % 12.00')).toContain('tax 12.00');
  expect(named('MwSt 19% 3,80')).toContain('tax 3,80');
  expect(named('Tax: none. USD 1,234,567.89 paid')).toContain('amount USD 1,234,567.89');
  expect(named('Tel. : +49 30 123456')).toContain('phone +49 30 123456');
  expect(named('phone 555-1234')).toContain('phone 555-1234');
  expect(named('Account holder : Ada Lovelace')).toContain('name Ada Lovelace');
  expect(named('Account holder: Ada Lovelace')).toContain('name Ada Lovelace');
  expect(named('gross weight : 12 kg')).toContain('weight 12 kg');
});

describe('The answer of a model', () => {
  const answering = (text: string): ChatModel =>
    ({
      label: 'test/model',
      delimit: (_name: string, said: string) => said,
      complete: async () => ({
        text,
        toolCalls: [],
        usage: { provider: 'test', model: 'model', inputTokens: 0, outputTokens: 0 },
      }),
    }) as unknown as ChatModel;
  const ask = (text: string) =>
    askForJson(answering(text), {
      messages: [],
      schema: { name: 'answer', schema: {} },
      read: (value: unknown) => ({ value }),
    }).then(
      ({ value }) => value,
      () => 'refused',
    );

  test.each(['```json\n{"a":1}\n```', '```\n\n{"a":1}\n\n  ```', 'So:\n```JSON \n{"a":1}\n```\nDone {}'])(
    'is read from its fence: %j',
    async (text) => {
      expect(await ask(text)).toEqual({ a: 1 });
    },
  );

  test('costs no more than its length', () =>
    isLinear(async (size) => {
      // The pattern before took the cube: 4,000 line breaks cost seconds.
      expect(await ask(`\`\`\`${'\n'.repeat(size / 20)}x`)).toBe('refused');
    }));
});

test('a word that every object has is no currency', () => {
  expect(readMoney('constructor 5')).toBe('5');
  expect(readMoney('eur 5')).toBe('5 EUR');
});

test('a cut text ends with a whole character', () => {
  expect(cutBytes('aé', 2)).toBe('a');
  expect(cutBytes('aé', 3)).toBe('aé');
  expect(cutBytes('a😀b', 4)).toBe('a');
  expect(cutBytes('a😀b', 5)).toBe('a😀');
});
