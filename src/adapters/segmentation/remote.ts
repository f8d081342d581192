import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#src/domain/app-error.ts';
import { reasonOfStatus } from '#src/domain/failure-reason.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '#src/domain/ports/outbound.ts';
import type { Segment, Segmenter } from '#src/domain/ports/segmenter.ts';
import { boxSegment, union, type Box } from '#src/domain/segment-locally/geometry.ts';
import { decodeMask, maskSegment } from '#src/adapters/segmentation/masks.ts';
import { providers, type Asked, type ProviderName } from '#src/adapters/segmentation/providers.ts';
import { broken, readAnswer, type Region } from '#src/adapters/segmentation/read-answer.ts';

export interface RemoteSettings {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | null;
  readonly provider: ProviderName;
  /** Timeout of one attempt. */
  readonly timeoutMs: number;
}

interface Parts extends RemoteSettings {
  readonly images: Pick<ImageCodec, 'page' | 'raster' | 'transform'>;
  readonly outbound: Outbound;
}

const mostBytes = 32 * 1024 * 1024;
const mostMaskBytes = 8 * 1024 * 1024;
/** Limit of the run lengths of all masks of a response, which are stored in one row. */
const mostRuns = 300_000;
const sentSide = 2_048;
const retries = 2;
const longestWaitMs = 30_000;

/**
 * Calls a segmentation service over HTTP in the format of `provider`. `outbound` checks every address, those of masks too. Errors:
 * `segmentation.failed` with the reason, `outbound.refused`.
 */
export function createRemoteSegmenter(parts: Parts): Segmenter {
  return {
    label: `http/${parts.model}`,
    async segment({ page, prompt, maxSegments, signal }) {
      const scale = sentSide / Math.max(page.width, page.height);
      const sent = scale < 1 ? await parts.images.transform(page, { scale }, signal) : page;
      const answer = await ask(parts, { page: sent, prompt, model: parts.model, maxSegments }, signal);
      const regions = readAnswer(jsonOf(answer), providers[parts.provider], sent)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, maxSegments);
      const segments: Segment[] = [];
      let runs = 0;
      for (const region of regions) {
        const found = await segmentOf(parts, region, { page: sent, label: region.label ?? prompt, signal });
        if (found === null) continue;
        runs += found.mask?.runs.length ?? 0;
        const { mask: _mask, ...outline } = found;
        segments.push(runs > mostRuns ? outline : found);
      }
      return { segments, unsupportedPrompt: false };
    },
  };
}

function jsonOf({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw broken('it is no JSON', error);
  }
}

async function ask(parts: Parts, asked: Asked, signal?: AbortSignal): Promise<OutboundAnswer> {
  const provider = providers[parts.provider];
  const { type, content } = provider.body(asked);
  const auth = parts.apiKey === null ? {} : provider.auth(parts.apiKey);
  const url = new URL(parts.url);
  for (const [name, value] of Object.entries(auth.query ?? {})) url.searchParams.set(name, value);
  const request: OutboundRequest = {
    url: url.href,
    method: 'POST',
    headers: { accept: 'application/json', ...provider.headers, ...auth.headers, 'content-type': type },
    body: content,
    maxBytes: mostBytes,
    timeoutMs: parts.timeoutMs,
    ...(signal !== undefined && { signal }),
  };
  for (let attempt = 0; ; attempt += 1) {
    const answer = await send(parts.outbound, request);
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (attempt >= retries || !(answer.status === 429 || answer.status >= 500)) throw refused(answer.status);
    await pause(waitOf(answer, attempt), undefined, { ...(signal !== undefined && { signal }) });
  }
}

async function send(outbound: Outbound, request: OutboundRequest): Promise<OutboundAnswer> {
  try {
    return await outbound.send(request);
  } catch (error) {
    if (error instanceof AppError && error.code === 'outbound.failed')
      throw new AppError(
        'segmentation.failed',
        'The segmentation service could not be reached, or broke off its answer.',
        { cause: error, reason: error.reason },
      );
    throw error;
  }
}

/** Builds the error without text of the service, which may quote the key. */
function refused(status: number): AppError {
  const hint =
    status === 401 || status === 403
      ? ': check SEGMENTATION_API_KEY'
      : status === 404
        ? ': check SEGMENTATION_URL and SEGMENTATION_MODEL'
        : status === 400 || status === 422
          ? ': the model may not take such a prompt or picture, or SEGMENTATION_PROVIDER is another'
          : '';
  return new AppError('segmentation.failed', `The segmentation service answered with status ${status}${hint}.`, {
    reason: reasonOfStatus(status),
  });
}

/** Returns Retry-After (RFC 9110 §10.2.3: seconds or a date), else a growing pause from half a second. */
function waitOf({ headers }: OutboundAnswer, attempt: number): number {
  const value = headers['retry-after']?.trim() ?? '';
  const ms = /^\d+$/u.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Math.min(longestWaitMs, Math.max(0, Number.isNaN(ms) ? 500 * 2 ** attempt : ms));
}

interface About {
  readonly page: PageImage;
  readonly label: string;
  readonly signal: AbortSignal | undefined;
}

/** Prefers the mask to the polygon, and that to the box. Returns null for an empty mask. */
async function segmentOf(parts: Parts, region: Region, { page, label, signal }: About): Promise<Segment | null> {
  const about = { label: label.slice(0, 200), score: region.score };
  const { mask, polygon, corners } = region;
  if (mask !== null) {
    const bytes = await maskBytes(parts, mask, signal);
    return maskSegment(await decodeMask(parts.images, bytes, page), about);
  }
  if (polygon !== null) {
    const inside = polygon.map(([x, y]): [number, number] => [clip(x), clip(y)]);
    const points = inside.map(([x, y]): Box => [x, y, 0, 0]);
    return { ...about, box: union(points), polygon: inside };
  }
  if (corners === null) return null;
  const [left, top, right, bottom] = corners;
  return boxSegment([left, top, right - left, bottom - top], about);
}

const clip = (value: number): number => Math.min(1, Math.max(0, value));

async function maskBytes({ outbound, timeoutMs }: Parts, mask: string, signal?: AbortSignal): Promise<Buffer> {
  if (!/^https?:/iu.test(mask)) {
    const text = mask.replace(/^data:[^,]{0,100},/u, '');
    if (text.length > mostMaskBytes * 1.4) throw broken('a mask is too large');
    return Buffer.from(text, 'base64');
  }
  const answer = await send(outbound, {
    url: mask,
    method: 'GET',
    headers: { accept: 'image/png' },
    maxBytes: mostMaskBytes,
    timeoutMs,
    ...(signal !== undefined && { signal }),
  });
  if (answer.status === 200) return answer.body;
  throw new AppError(
    'segmentation.failed',
    `A mask could not be fetched: its address answered with status ${answer.status}.`,
  );
}
