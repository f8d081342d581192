import { pageRaster } from '#src/adapters/models/local/page-raster.ts';
import { blockHash } from '#src/domain/embed-locally/block-hash.ts';
import { visualDimensions, visualVector } from '#src/domain/embed-locally/visual-vector.ts';
import type { ImageEmbedder } from '#src/domain/ports/models.ts';

const visualLabel = `local/visual-${visualDimensions}`;

/** Offline, deterministic image vectors that find copies and similar images, not similar meaning. Errors: `image.undecodable`. */
export function createVisualEmbedder(): ImageEmbedder {
  return {
    label: visualLabel,
    dimensions: visualDimensions,
    async embedImage(page, signal) {
      const start = performance.now();
      const raster = await pageRaster(page, signal);
      return {
        vector: visualVector(raster),
        blockHash: blockHash(raster),
        usage: { provider: 'local', model: `visual-${visualDimensions}`, ms: performance.now() - start },
      };
    },
  };
}
