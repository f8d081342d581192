/** Runs the checks of an upload and the decoding of pages on damaged bytes. */
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import type { UploadRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';
import { inspectUpload } from '#tools/uploads/acknowledge-upload.ts';
import { seeded, type Random } from '#scripts/fixtures/random.ts';
import type { Scan } from '#scripts/bench/documents/ingest.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

/** `refused`: an AppError; `decoded`: the damage did no harm; otherwise the unexpected error. */
export type Outcome = 'refused' | 'decoded' | { readonly unexpected: string };

const images = createImageCodec();

/** Cut, doubled, overwritten, or with some bits turned; the same for the same seed. */
function damaged(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  // Half of the damage hits the head, where formats say sizes and offsets.
  const reach = random.next() < 0.5 ? Math.min(copy.length, 512) : copy.length;
  const at = Math.floor(random.next() * reach);
  const kind = Math.floor(random.next() * 4);
  if (kind === 0) return copy.subarray(0, at);
  if (kind === 1) return Buffer.concat([copy.subarray(0, at), copy.subarray(Math.floor(random.next() * copy.length))]);
  if (kind === 2) return copy.fill(Math.floor(random.next() * 256), at, at + 1 + Math.floor(random.next() * 16));
  for (let flips = 0; flips < 8; flips += 1) {
    const place = Math.floor(random.next() * reach);
    copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random.next() * 8));
  }
  return copy;
}

async function read(bytes: Buffer, contentType: Scan['contentType']): Promise<void> {
  const head: ObjectHead = { key: 'uploads/bench', sizeBytes: bytes.length, etag: 'etag', contentType };
  const objects = { read: async () => ({ head, bytes }) };
  const upload = { _id: 'uploads/bench', sizeBytes: bytes.length, contentType };
  const { facts } = await inspectUpload({ objects, images }, upload as UploadRecord);
  await images.page(bytes, facts.pages - 1);
}

async function attempt({ bytes, contentType }: Scan, seed: number): Promise<Outcome> {
  try {
    await read(damaged(Buffer.from(bytes), seeded(seed)), contentType);
    return 'decoded';
  } catch (error) {
    if (error instanceof AppError && error.code !== 'service.internal') return 'refused';
    return { unexpected: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

serve({ attempt: ({ scan, seed }: { scan: Scan; seed: number }) => attempt(scan, seed) });
process.channel?.ref();
