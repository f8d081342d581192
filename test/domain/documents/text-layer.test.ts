import { describe, expect, test } from 'vitest';
import { flawOf, layerPage } from '#src/domain/documents/text-layer.ts';
import type { PageText, TextRun } from '#src/domain/ports/image-codec.ts';

const english =
  'Invoice number 4711 from the office of the secretary, payable within thirty days after delivery of the goods';

/** A run with its base at `y`, upright. */
function run(text: string, [x, y, width]: readonly [number, number, number] = [0.1, 0.1, 0.5], height = 0.02): TextRun {
  return {
    text,
    angle: 0,
    corners: [
      [x, y + height],
      [x + width, y + height],
      [x + width, y],
      [x, y],
    ],
  };
}

function page(runs: readonly TextRun[], more: Partial<PageText> = {}): PageText {
  const visible = runs.reduce((sum, { text }) => sum + text.replaceAll(' ', '').length, 0);
  return {
    width: 1_000,
    height: 1_000,
    runs,
    visible,
    hidden: 0,
    annotated: 0,
    pictures: [],
    isUncertain: false,
    losses: [],
    ...more,
  };
}

describe('flawOf', () => {
  test.each([
    ['English', english],
    ['German', 'Rechnung Nr. 4711 über die gelieferten Waren, zahlbar binnen dreißig Tagen ohne jeden Abzug'],
    ['Polish', 'Faktura za dostarczone towary, termin płatności wynosi trzydzieści dni od daty wystawienia'],
    ['Russian', 'Счёт на оплату поставленных товаров, срок оплаты составляет тридцать дней'],
    ['Chinese', '关于红军作战的原则一九三七年八月一日目录第一章总则第二条本办法所称发票是指在购销商品提供接受服务'],
    [
      'wide Latin',
      'Ｏｐｔｉｍｉｚａｔｉｏｎ ｏｆ ｗａｔｅｒ ｅｘｔｒａｃｔｉｏｎ ａｎｄ ａｌｃｏｈｏｌ ｐｒｏｄｕｃｔｉｏｎ ｉｎ ｔｈｅ ｐｌａｎｔ',
    ],
    ['a table of contents', `Chapter 1 ${'.'.repeat(80)} 12 Chapter 2 ${'. '.repeat(3)} 31 Annex A 47 Annex B 52`],
    ['figures', '1,204.50 3,100.00 88.10 12.5 % 2026-11-23 4711-0815 17 19 21 1,001.00 EUR 12 pcs'],
  ])('trusts %s', (_, text) => {
    expect(flawOf(page([run(text)]))).toBeNull();
  });

  test.each([
    ['unknown letters', english.replaceAll('e', '\u{FFFD}')],
    ['letters of private use', english.replaceAll('o', '\u{E042}')],
    ['control characters', english.replaceAll(' ', '\u0003')],
    [
      'swapped bytes',
      Array.from(english.replaceAll(' ', ''), (one) => String.fromCharCode(one.charCodeAt(0) << 8)).join(''),
    ],
    [
      'a shifted alphabet',
      english.replaceAll(/[a-z]/gu, (one) => String.fromCharCode(97 + ((one.charCodeAt(0) - 97 + 3) % 26))),
    ],
    ['signs', '"7+%- ($)/ *&^% $#@! ~+=_ "7+%- ($)/ *&^% $#@! ~+=_ "7+%- ($)/'],
  ])('refuses %s', (_, text) => {
    expect(flawOf(page([run(text)]))).toBe('garbled');
  });

  test('refuses a layer beside which the page shows more', () => {
    const runs = [run(english)];
    const { visible } = page(runs);
    expect(flawOf(page([run('A stamp')]))).toBe('short');
    expect(flawOf(page(runs, { hidden: visible }))).toBe('hidden');
    expect(flawOf(page(runs, { annotated: 1 }))).toBe('incomplete');
    expect(flawOf(page(runs, { isUncertain: true }))).toBe('incomplete');
    expect(flawOf(page(runs, { visible: 2 * visible }))).toBe('incomplete');
    expect(flawOf(page([{ ...run(english), angle: 90 }]))).toBe('turned');
    expect(flawOf(page(runs, { pictures: [[0, 0.2, 1, 0.5]] }))).toBe('pictures');
    expect(flawOf(page(runs, { pictures: [[0, 0, 0.2, 0.2]] })), 'a logo').toBeNull();
    expect(flawOf(page(runs, { pictures: [[0.1, 0.1, 0.5, 0.02]] })), 'a picture below the words').toBeNull();
  });
});

describe('layerPage', () => {
  test('makes rows of runs at one height, and paragraphs of rows that are near', () => {
    const { text, lines } = layerPage(
      3,
      page([
        run('Total', [0.1, 0.1, 0.1]),
        run('12.50', [0.7, 0.101, 0.1]),
        run('Thank you', [0.1, 0.13, 0.2]),
        run('Page 1', [0.1, 0.9, 0.1]),
      ]),
    );
    expect(text).toBe('Total 12.50\nThank you\n\nPage 1');
    expect(lines[0]?.words.map((word) => word.text)).toEqual(['Total', '12.50']);
    expect(lines[1]?.words[1]?.box.map((side) => Math.round(side * 1_000))).toEqual([233, 130, 67, 20]);
  });

  test('joins parts of a word, counts text that is printed twice once, and leaves out text beside the page', () => {
    const twice = run('word', [0.2, 0.1, 0.1]);
    const beside = run('outside', [1.2, 0.1, 0.1]);
    expect(layerPage(0, page([run('pass', [0.1, 0.1, 0.1]), twice, twice, beside])).text).toBe('password');
    expect(layerPage(0, page([beside]))).toMatchObject({ text: '', lines: [], confidence: 0 });
  });

  test('takes time in proportion to the length of the text', () => {
    const runs = Array.from({ length: 20_000 }, (_, at) => run('a b c d', [(at % 100) / 100, (at % 977) / 977, 0.009]));
    const hostile = page([...runs, run('a'.repeat(90_000)), run('.'.repeat(90_000))], {
      pictures: Array.from({ length: 2_000 }, () => [0, 0, 1, 1] as const),
    });
    expect(flawOf(hostile)).toBeNull();
    expect(layerPage(0, hostile).lines.length).toBeGreaterThan(100);
  });
});
