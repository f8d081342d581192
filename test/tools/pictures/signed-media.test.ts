import { afterAll, beforeAll, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { pictureKey } from '#src/domain/documents/object-key.ts';
import { SignedMedia, type MediaRequest } from '#tools/pictures/signed-media.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { servedStore, type ServedStore } from '#test/support/objects.ts';
import { documentRecord } from '#test/support/records.ts';
import { fixture } from '#test/support/test-app.ts';

let served: ServedStore;
let original: Buffer;
beforeAll(async () => {
  served = await servedStore();
  original = await fixture('letter.png');
});
afterAll(() => served.dispose());

/** A document with bytes, the media over it with a codec that counts, and what stands in the address of a page. */
async function setup(hooks: { beforePicture?: () => Promise<void> } = {}) {
  const place = documentRecord({ pages: 50 });
  const { etag } = await served.store.put(place.pinnedKey, original, 'image/png');
  const document: DocumentRecord = { ...place, etag };
  const state = { made: 0, deleted: false };
  const codec = createImageCodec();
  const media = new SignedMedia({
    documents: {
      findInOrganization: async () => (state.deleted ? null : document),
      addPicture: async () => !state.deleted,
    },
    usage: { add: async () => undefined },
    objects: served.store,
    images: {
      thumbnail: codec.thumbnail.bind(codec),
      async picture(bytes, _index, size) {
        state.made += 1;
        await hooks.beforePicture?.();
        return codec.picture(bytes, 0, size);
      },
    },
    secret: Buffer.alloc(32, 7),
    baseUrl: () => 'http://media.test',
    hasDashboard: false,
  });
  const request = (page: number, width = '400'): MediaRequest => {
    const { searchParams } = new URL(media.pageUrl(document, page));
    const { organizationId, _id: documentId } = document;
    const signed = { expires: searchParams.get('expires'), signature: searchParams.get('signature') };
    return { organizationId, documentId, picture: page, ...signed, width };
  };
  const read = async (page: number, width?: string): Promise<Buffer> => (await media.open(request(page, width))).read();
  return { document, state, read, media };
}

test('twenty readers of a picture nobody has seen make it once, and it is made no more', async () => {
  const { state, read } = await setup();
  const pictures = await Promise.all(Array.from({ length: 20 }, () => read(0)));
  expect(state.made).toBe(1);
  expect(pictures.every((one) => one.equals(pictures[0] ?? Buffer.alloc(0)))).toBe(true);
  expect((await read(0)).equals(pictures[0] ?? Buffer.alloc(0))).toBe(true);
  expect(state.made).toBe(1);
});

test('nothing links to pages of a service without a dashboard', async () => {
  const { media } = await setup();
  expect(media.linked('/documents/doc_1')).toEqual({});
});

test('a flood of different pages is refused beyond a short line, and what is kept already is served meanwhile', async () => {
  const gate = Promise.withResolvers<void>();
  let closed = false;
  const { read } = await setup({ beforePicture: () => (closed ? gate.promise : Promise.resolve()) });
  const kept = await read(0);
  closed = true;
  const flood = Array.from({ length: 40 }, (_, index) =>
    read(index + 1).then(
      () => 'made',
      (error: unknown) => (error instanceof AppError ? `${error.code} ${error.retryAfterSeconds}` : String(error)),
    ),
  );
  await expect.poll(() => Promise.race([...flood, Promise.resolve('waiting')])).toBe('request.rate_limited 2');
  expect((await read(0)).equals(kept)).toBe(true);
  gate.resolve();
  const outcomes = await Promise.all(flood);
  expect(outcomes.filter((one) => one === 'made')).toHaveLength(18);
  expect(outcomes.filter((one) => one === 'request.rate_limited 2')).toHaveLength(22);
});

test('a picture of a document that was deleted meanwhile is neither given out nor kept', async () => {
  const hooks: { beforePicture?: () => Promise<void> } = {};
  const { document, state, read } = await setup(hooks);
  hooks.beforePicture = async () => {
    state.deleted = true;
  };
  await expect(read(0)).rejects.toMatchObject({ code: 'document.not_found' });
  const key = pictureKey(document, { kind: 'page', page: 0, width: 400, rotate: 0 });
  expect(await served.store.head(key)).toBeNull();
  await expect(read(0)).rejects.toMatchObject({ code: 'document.not_found' });
});
