import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import * as samples from '#test/adapters/images/samples.ts';

const codec = createImageCodec();
const whole: Buffer[] = [];
const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  for (const type of samples.encodedTypes) whole.push(await samples.encoders[type](samples.picture()));
  // Pages are drawn at the density of a scan: a small one breaks in the same ways.
  const small = { width: 96, height: 64 };
  whole.push(samples.handmadeTiff('MM', 2), samples.handmadePdf('Hello', 1, small));
});
afterAll(() => void process.off('unhandledRejection', note));

/** Numerical Recipes' linear congruential generator: the same damage in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Flips bits, cuts, doubles or fills a range with one value. */
function damage(bytes: Buffer, random: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = random(copy.length);
  const kind = random(4);
  if (kind === 0) return copy.subarray(0, at);
  if (kind === 1) return Buffer.concat([copy.subarray(0, at), copy.subarray(random(copy.length))]);
  if (kind === 2) return copy.fill(random(256), at, Math.min(copy.length, at + 1 + random(16)));
  for (let flips = 1 + random(8); flips > 0; flips -= 1) {
    const place = random(copy.length);
    copy[place] = (copy[place] ?? 0) ^ (1 << random(8));
  }
  return copy;
}

test('1,000 damaged documents give pages or an AppError, and never anything else', { timeout: 60_000 }, async () => {
  const random = seeded(20_240_314);
  const outcomes = { pages: 0, errors: 0 };
  for (let round = 0; round < 1000; round += 1) {
    const bytes = damage(whole[round % whole.length] ?? Buffer.alloc(0), random);
    try {
      const facts = await codec.inspect(bytes);
      const page = await codec.page(bytes, facts.pages - 1);
      expect(page.png.length).toBeGreaterThan(0);
      outcomes.pages += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcomes.errors += 1;
    }
  }
  expect(outcomes.pages + outcomes.errors).toBe(1000);
  expect(outcomes.pages).toBeGreaterThan(50);
  expect(outcomes.errors).toBeGreaterThan(300);
  expect(escaped).toEqual([]);
});
