import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createSegmenters } from '#src/adapters/segmentation/create-segmenters.ts';
import type { RemoteSettings } from '#src/adapters/segmentation/remote.ts';
import type { Segmentation } from '#src/domain/ports/segmenter.ts';
import { outboundTo, startService, type Service } from '#test/adapters/segmentation/service.ts';

const images = createImageCodec();
const width = 200;
const height = 100;
const blank = (wide: number, high: number) =>
  sharp({ create: { width: wide, height: high, channels: 3, background: '#ffffff' } })
    .png()
    .toBuffer();

/** White in the given pixels of black. */
async function mask(box: readonly [number, number, number, number], wide = width, high = height): Promise<Buffer> {
  const [left, top, boxWidth, boxHeight] = box;
  const inside = await sharp({ create: { width: boxWidth, height: boxHeight, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  return sharp({ create: { width: wide, height: high, channels: 3, background: '#000' } })
    .composite([{ input: inside, left, top }])
    .png()
    .toBuffer();
}

async function segment(
  service: Service,
  more: Partial<RemoteSettings> & { hosts?: string[]; signal?: AbortSignal; maxSegments?: number } = {},
): Promise<Segmentation> {
  const { hosts = [], signal, maxSegments = 10, ...settings } = more;
  const outbound = outboundTo(new URL(service.url).host, ...hosts);
  const remote = { url: service.url, model: 'sam3', apiKey: 'secret-key', provider: 'vllm', timeoutMs: 5_000 } as const;
  const segmenter = createSegmenters({ images, outbound, remote: { ...remote, ...settings } }).remote;
  if (segmenter === null) throw new Error('there is no remote segmenter');
  const page = await images.page(await blank(width, height), 0);
  return segmenter.segment({ page, ocr: null, prompt: 'stamp', maxSegments, ...(signal && { signal }) });
}

const near = (box: readonly number[]): unknown => box.map((value) => expect.closeTo(value, 6) as number);

const failure = (reason: string) => ({
  code: 'segmentation.failed',
  detail: expect.stringContaining(reason) as string,
});

describe('A vLLM-Omni service', () => {
  test('is sent picture, prompt and key, and its masks become boxes, outlines and run lengths', async () => {
    const png = (await mask([50, 20, 100, 40])).toString('base64');
    await using service = await startService({ data: [{ mask: png, box: [50, 20, 150, 60], score: 0.9 }] });
    const { segments, unsupportedPrompt } = await segment(service);
    expect(unsupportedPrompt).toBe(false);
    expect(segments).toMatchObject([
      { label: 'stamp', score: 0.9, box: near([0.25, 0.2, 0.5, 0.4]), mask: { width, height } },
    ]);
    expect(segments[0]?.mask?.runs.slice(0, 3)).toEqual([20 * width + 50, 100, 100]);
    expect(segments[0]?.polygon.every(([x, y]) => x >= 0.25 && x <= 0.75 && y >= 0.2 && y <= 0.6)).toBe(true);
    const [asked] = service.seen;
    expect(asked?.headers).toMatchObject({ authorization: 'Bearer secret-key' });
    const [, boundary = '?'] =
      /^multipart\/form-data; boundary=(.+)$/u.exec(asked?.headers['content-type'] ?? '') ?? [];
    const parts = (asked?.body.toString('latin1') ?? '').split(`--${boundary}`);
    const fields = parts.slice(1, 4).map((part) => /name="(\w+)"\r\n\r\n(.*)\r\n$/u.exec(part)?.slice(1));
    expect(fields).toEqual([
      ['model', 'sam3'],
      ['prompt', 'stamp'],
      ['mask_format', 'png'],
    ]);
    const [head = '', image = ''] = parts[4]?.split('\r\n\r\n', 2) ?? [];
    expect(head).toContain('name="image"; filename="page.png"\r\nContent-Type: image/png');
    const sent = await sharp(Buffer.from(image, 'latin1')).metadata();
    expect([sent.width, sent.height, parts[5]]).toEqual([width, height, '--\r\n']);
  });

  test('gives the best segments, no more than asked for, and none for an empty mask', async () => {
    const empty = (await mask([0, 0, 1, 1], width * 2, height * 2)).toString('base64');
    const boxes = [0.2, 0.9, 0.5].map((score, at) => ({ box: [at, 0, at + 50, 50], score }));
    await using service = await startService({ data: boxes });
    expect((await segment(service, { maxSegments: 2 })).segments.map(({ score }) => score)).toEqual([0.9, 0.5]);
    const black = (
      await sharp({ create: { width, height, channels: 3, background: '#000' } })
        .png()
        .toBuffer()
    ).toString('base64');
    await using other = await startService({
      data: [
        { mask: black, score: 1 },
        { mask: empty, score: 0.5 },
      ],
    });
    expect((await segment(other)).segments).toHaveLength(1);
  });
});

describe('Other services', () => {
  test.each([
    [
      'roboflow',
      {
        prompt_results: [
          {
            predictions: [
              {
                confidence: 0.8,
                masks: [
                  [
                    [50, 20],
                    [150, 20],
                    [150, 60],
                  ],
                ],
              },
            ],
          },
        ],
      },
      [0.25, 0.2, 0.5, 0.4],
    ],
    [
      'roboflow',
      { predictions: [{ x: 100, y: 40, width: 100, height: 40, confidence: 0.8, class: 'stamp' }] },
      [0.25, 0.2, 0.5, 0.4],
    ],
    [
      'replicate',
      { status: 'succeeded', output: { detections: [{ box: [50, 20, 150, 60], score: 0.8 }] } },
      [0.25, 0.2, 0.5, 0.4],
    ],
    [
      'huggingface',
      [{ label: 'stamp', score: 0.8, box: { xmin: 50, ymin: 20, xmax: 150, ymax: 60 } }],
      [0.25, 0.2, 0.5, 0.4],
    ],
    ['boxes', { objects: [{ label: 'stamp', confidence: 0.8, bbox: [0.25, 0.2, 0.75, 0.6] }] }, [0.25, 0.2, 0.5, 0.4]],
    ['boxes', { data: [{ score: 0.8, box: [-50, 20, 900, 60] }] }, [0, 0.2, 1, 0.4]],
    [
      'boxes',
      {
        data: [
          {
            score: 0.8,
            polygon: [
              [-50, 20],
              [900, 20],
              [900, 60],
            ],
          },
        ],
      },
      [0, 0.2, 1, 0.4],
    ],
  ] as const)('%s: an answer of its form becomes segments inside of the page', async (provider, answer, box) => {
    await using service = await startService({ body: JSON.stringify(answer) });
    const { segments } = await segment(service, { provider });
    expect(segments).toMatchObject([{ label: 'stamp', score: 0.8, box: near(box) }]);
  });

  test('fal: masks are fetched from their addresses', async () => {
    const png = await mask([50, 20, 100, 40]);
    await using service = await startService(
      ({ headers }) => ({
        body: JSON.stringify({ masks: [{ url: `http://${headers.host}/mask.png` }], scores: [0.7] }),
      }),
      { body: png },
    );
    expect((await segment(service, { provider: 'fal' })).segments).toMatchObject([
      { score: 0.7, box: near([0.25, 0.2, 0.5, 0.4]) },
    ]);
    expect(service.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(service.seen[0]?.headers.authorization).toBe('Key secret-key');
    expect(service.seen[1]?.headers.authorization).toBeUndefined();
  });

  test('a mask at an address that is not allowed is refused', async () => {
    await using service = await startService({ masks: [{ url: 'http://169.254.169.254/latest/meta-data' }] });
    await expect(segment(service, { provider: 'fal' })).rejects.toMatchObject({ code: 'outbound.refused' });
  });
});

describe('A broken answer', () => {
  test.each([
    ['<html>', 'no JSON'],
    [{ error: 'x' }, 'no list of regions'],
    [{ data: [{ score: 0.5 }] }, 'region 0 has no box'],
    [{ data: [{ score: 'high', box: [0, 0, 1, 1] }] }, 'score'],
    [{ data: [{ box: [5, 5, 1, 1] }] }, 'ends before it begins'],
    [{ data: [{ box: [1, 2, 3] }] }, 'box that is none'],
    [
      {
        data: [
          {
            polygon: [
              [1, 2],
              [3, 4],
            ],
          },
        ],
      },
      'polygon',
    ],
    [{ data: [{ mask: 'not base64 of a picture' }] }, 'mask is no PNG'],
    [{ data: [{ mask: 7 }] }, 'mask that is none'],
    [{ status: 'processing' }, 'did not finish in time'],
  ])('%j fails with its reason', async (answer, reason) => {
    await using service = await startService({ body: typeof answer === 'string' ? answer : JSON.stringify(answer) });
    await expect(segment(service)).rejects.toMatchObject(failure(reason));
  });

  test('a mask of another shape than the page fails', async () => {
    const png = (await mask([0, 0, 10, 10], 100, 100)).toString('base64');
    await using service = await startService({ data: [{ mask: png }] });
    await expect(segment(service)).rejects.toMatchObject(failure('100 x 100'));
  });

  test('a cut mask fails', async () => {
    const png = (await mask([50, 20, 100, 40])).subarray(0, 60).toString('base64');
    await using service = await startService({ data: [{ mask: png }] });
    await expect(segment(service)).rejects.toMatchObject(failure('damaged'));
  });
});

describe('A service in trouble', () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: 'secret-key' };
  const down = { status: 503, headers: { 'retry-after': '0' }, body: '' };

  test('is asked again after 429 and 5xx, at most twice', async () => {
    await using service = await startService(busy, down, { data: [{ box: [0, 0, 1, 1] }] });
    expect((await segment(service)).segments).toHaveLength(1);
    expect(service.seen).toHaveLength(3);
    await using worse = await startService(down);
    await expect(segment(worse)).rejects.toMatchObject(failure('503'));
    expect(worse.seen).toHaveLength(3);
  });

  test('is not asked again after a refusal, and nothing it says is passed on', async () => {
    await using service = await startService({ status: 401, body: 'bad key secret-key' });
    const error: unknown = await segment(service).catch((caught: unknown) => caught);
    expect(error).toMatchObject(failure('check SEGMENTATION_API_KEY'));
    expect(String(error)).not.toContain('secret-key');
    expect(service.seen).toHaveLength(1);
  });

  test('that is gone is told as such', async () => {
    const service = await startService({});
    await service[Symbol.asyncDispose]();
    await expect(segment(service)).rejects.toMatchObject(failure('could not be reached'));
  });

  test('a long wait ends with the signal', async () => {
    const canceler = new AbortController();
    await using service = await startService(() => {
      queueMicrotask(() => canceler.abort(new Error('stop')));
      return { status: 429, headers: { 'retry-after': '20' }, body: '' };
    });
    await expect(segment(service, { signal: canceler.signal })).rejects.toThrow();
    expect(service.seen).toHaveLength(1);
  });
});
