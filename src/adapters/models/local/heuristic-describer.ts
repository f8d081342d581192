import { pageRaster } from '#src/adapters/models/local/page-raster.ts';
import { pictureFacts } from '#src/domain/describe-locally/picture-facts.ts';
import type { Describer } from '#src/domain/ports/models.ts';

const heuristicLabel = 'local/heuristic-3';

/** Offline, deterministic descriptions by keywords and patterns over the recognized text. Errors: `image.undecodable`. */
export function createHeuristicDescriber(): Describer {
  return {
    label: heuristicLabel,
    async describe({ page, pages, text, avgConfidence, signal }) {
      const start = performance.now();
      const { describeDocument } = await import('#src/domain/describe-locally/describe-text.ts');
      const picture = pictureFacts(await pageRaster(page, signal));
      const value = describeDocument({ text, avgConfidence, pages, width: page.width, height: page.height, picture });
      return { value, usage: { provider: 'local', model: 'heuristic-3', ms: performance.now() - start } };
    },
  };
}
