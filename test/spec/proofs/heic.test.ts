import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { verifies } from '#test/support/verifies.ts';

const receipt = await readFile(new URL('../../adapters/images/heic/receipt.heic', import.meta.url));
const app = await sharedApp();
const without = await sharedApp({ overrides: { images: createImageCodec({ heic: false }) } });

verifies('ingest.heic', async () => {
  const { id } = await app.ingest(receipt, 'image/heic');
  await app.app.idle();
  const { body } = await app.uploader.get(`/api/uploads/${id}`);
  expect(body).toMatchObject({ status: 'succeeded' });
  const text = await app.service.get(`/api/service/documents/${id}/text`);
  expect(JSON.stringify(text.body)).toContain('TOTAL');
  const { body: document } = await app.service.get(`/api/service/documents/${id}`);
  expect(document).toMatchObject({ contentType: 'image/heic', width: 631, height: 1194, pages: 1 });
  const thumbnail = Buffer.from(await (await fetch(document.thumbnailUrl)).arrayBuffer());
  expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'webp' });
  const { images } = app.app.deps;
  const page = await images.picture(receipt, 0, { width: 400, height: 200, rotate: 90 });
  expect(await sharp(page).metadata()).toMatchObject({ format: 'webp', height: 200 });
  expect(await app.store(receipt, 'image/heif')).toMatchObject({ contentType: 'image/heif', width: 631 });
});

verifies('ingest.heic.refused', async () => {
  for (const contentType of ['image/heic', 'image/heif', 'IMAGE/HEIC-sequence']) {
    const { detail } = problemOf(
      await without.uploader.post('/api/uploads/presign', { contentType, size: 5 }),
      'upload.content_type',
    );
    expect(detail).toMatch(/^HEIC .* convert it to JPEG or PNG, or AVIF\. .* npm install --save-exact libheif-js@/);
  }
  for (const contentType of ['image/jpeg', 'image/avif']) {
    const objectKey = await without.put(receipt, contentType);
    const { detail } = problemOf(await without.uploader.post('/api/uploads/ack', { objectKey }), 'upload.mismatch');
    expect(detail).toMatch(/HEIC .* convert it to JPEG or PNG, or AVIF\. .* npm install --save-exact libheif-js@/);
  }
  const declared = await app.uploader.post('/api/uploads/ack', { objectKey: await app.put(receipt, 'image/jpeg') });
  expect(problemOf(declared, 'upload.mismatch').detail).toContain('the bytes are image/heic');
  for (const [one, accepted] of [
    [app, true],
    [without, false],
  ] as const) {
    const cookie = await one.signIn();
    const context = await one.call('GET', '/api/dashboard/context', { cookie });
    expect(context.body.limits.contentTypes.includes('image/heic')).toBe(accepted);
    const health = await one.call('GET', '/health');
    expect(health.body.checks.images.contentTypes.includes('image/heic')).toBe(accepted);
  }
});
