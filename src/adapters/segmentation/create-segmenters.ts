import type { Fairness } from '#src/concurrency/fair-pool.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { Segmenters } from '#src/domain/ports/segmenter.ts';
import { createLocalSegmenter } from '#src/adapters/segmentation/local.ts';
import { createRemoteSegmenter, type RemoteSettings } from '#src/adapters/segmentation/remote.ts';

/** `outbound` must allow the host of `remote.url`. Other addresses come from the responses of the service. */
export function createSegmenters(parts: {
  readonly images: Pick<ImageCodec, 'page' | 'raster' | 'transform'>;
  readonly outbound: Outbound;
  readonly remote: RemoteSettings | null;
  readonly fairness?: Fairness;
}): Segmenters {
  const { images, outbound, remote, fairness } = parts;
  return {
    local: createLocalSegmenter(images, fairness),
    remote: remote === null ? null : createRemoteSegmenter({ ...remote, images, outbound }),
  };
}
