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
}): Segmenters {
  const { images, outbound, remote } = parts;
  return {
    local: createLocalSegmenter(images),
    remote: remote === null ? null : createRemoteSegmenter({ ...remote, images, outbound }),
  };
}
