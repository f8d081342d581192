import { describe, expect, test } from 'vitest';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { findLanguage } from '#graphs/nodes/find-language.ts';
import type { ReadCall } from '#graphs/nodes/read-page.ts';
import { ocr } from '#graphs/nodes/ocr.ts';
import type { PageImage, PageText } from '#src/domain/ports/image-codec.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

const german = 'Sehr geehrte Damen und Herren, wir danken für die Bestellung und senden die Rechnung.';
const english = 'Dear Sir, we thank you for the order and enclose the invoice.';

interface Given {
  readonly installed?: readonly string[];
  readonly recent?: string;
  /** Pages that the PDF states. */
  readonly stated?: readonly string[];
  readonly params?: Partial<ReadCall['params']>;
}

/** A call over a document of these pages, and the recognitions it asks for: page and language. */
function callOver(pages: readonly string[], { installed = ['deu', 'eng', 'fra'], recent, stated, params }: Given = {}) {
  const asked: [number, string | undefined][] = [];
  const run = (text: string) => ({ text, corners: [], angle: 0, size: 10 });
  const deps = {
    document: async () => ({
      languages: undefined,
      page: async (index: number) => ({ index }) as PageImage,
      text: async (index: number) =>
        stated === undefined
          ? null
          : ({
              width: 600,
              height: 800,
              runs: (stated[index] ?? '').split(' ').map(run),
              pictures: [],
              visible: 0,
              hidden: 0,
              annotated: 0,
              isUncertain: false,
            } as unknown as PageText),
    }),
    // All pages are white.
    images: { raster: async () => ({ width: 1, height: 1, pixels: new Uint8Array([255]) }) },
    ocr: {
      language: 'auto',
      installed: () => installed,
      recent: () => recent ?? null,
      async recognize({ index }: PageImage, { language }: { language?: string }): Promise<Partial<OcrPage>> {
        asked.push([index, language]);
        return { index, text: pages[index] ?? '', warnings: [] };
      },
    },
  } as unknown as NodeDeps;
  const { signal } = new AbortController();
  const call = { deps, run: {}, state: {}, params: { textLayers: true, timeoutMs: 1, ...params }, signal };
  return { call: call as unknown as ReadCall, asked };
}

describe('the language of a document, where none is named', () => {
  test('English is read once', async () => {
    const { call, asked } = callOver([english]);
    expect(await findLanguage(call, 1)).toMatchObject({
      language: 'eng',
      from: 'detected',
      pages: [{ text: english }],
    });
    expect(asked).toEqual([[0, 'eng']]);
  });

  test('another one is read again, and after it the next document of its language once', async () => {
    const { call, asked } = callOver([german]);
    expect(await findLanguage(call, 1)).toEqual({ language: 'deu', from: 'detected', pages: [] });
    const next = callOver([german], { recent: 'deu' });
    expect(await findLanguage(next.call, 1)).toMatchObject({ language: 'deu', pages: [{ text: german }] });
    expect([asked, next.asked]).toEqual([[[0, 'eng']], [[0, 'deu']]]);
  });

  test('the first look is in no language without known words, none that was removed, and none of several', async () => {
    for (const recent of ['rus', 'ita', 'deu+eng']) {
      const { call, asked } = callOver([english], { recent, installed: ['deu', 'eng', 'rus'] });
      await findLanguage(call, 1);
      expect(asked).toEqual([[0, 'eng']]);
    }
  });

  test('pages behind a cover without words are looked at, up to three', async () => {
    const { call, asked } = callOver(['', 'ACME', german, english]);
    expect(await findLanguage(call, 4)).toMatchObject({ language: 'deu', from: 'detected' });
    expect(asked.map(([index]) => index)).toEqual([0, 1, 2]);
  });

  test('is undecided for names and numbers, which are read in several languages', async () => {
    const { call } = callOver(['ACME 4711']);
    expect(await findLanguage(call, 1)).toEqual({ language: 'eng+deu+fra', from: 'undecided', pages: [] });
  });

  test('a page without any text is not read again', async () => {
    const { call, asked } = callOver(['']);
    expect(await findLanguage(call, 1)).toMatchObject({ language: 'eng', from: 'undecided', pages: [{ text: '' }] });
    expect(asked).toHaveLength(1);
  });

  test('with one language installed nothing is looked at', async () => {
    const { call, asked } = callOver([english], { installed: ['eng', 'osd'] });
    expect(await findLanguage(call, 1)).toEqual({ language: 'eng', from: 'installation', pages: [] });
    expect(asked).toEqual([]);
  });

  test('the node can ask for it, and what is named is taken as it is', async () => {
    const named = callOver([german], { params: { language: 'fra' } });
    expect(await findLanguage(named.call, 1)).toEqual({ language: 'fra', from: 'workflow', pages: [] });
    expect(named.asked).toEqual([]);
  });
});

test('kept outcomes depend on the installed languages with auto, and on those of the document', () => {
  const { call } = callOver([]);
  const params = ocr.params.parse({});
  expect(ocr.dependsOn?.(call.deps, params).at(-1)).toBe('auto:eng+deu+fra');
  const more = callOver([], { installed: ['eng', 'deu'] });
  expect(ocr.dependsOn?.(more.call.deps, params).at(-1)).toBe('auto:eng+deu');
  type Document = Parameters<NonNullable<typeof ocr.dependsOnDocument>>[0];
  expect(ocr.dependsOnDocument?.({ languages: ['deu'] } as unknown as Document)).toEqual(['deu']);
  expect(ocr.dependsOnDocument?.({} as unknown as Document)).toEqual([]);
});
