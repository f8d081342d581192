import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { Pausable } from '#src/domain/ports/page-turn.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Segmenter, Segmenters } from '#src/domain/ports/segmenter.ts';

/**
 * Dependencies of a step whose scarce work is done in turns, on behalf of the run's organization. The clock of the step stands still while the
 * work waits for its turn. Source: docs/decisions/0277.
 */
export function depsInTurn(deps: NodeDeps, run: RunFacts, clock: Pausable): NodeDeps {
  const document: NodeDeps['document'] = async (of, asOf) => {
    const found = await deps.document(of, asOf);
    return {
      ...found,
      page: (index, signal) => found.page(index, signal, clock),
      text: (index, signal) => found.text(index, signal, clock),
    };
  };
  // Getters, here and in what is given: most nodes use few of them.
  return Object.defineProperties({} as NodeDeps, {
    ...Object.getOwnPropertyDescriptors(deps),
    document: { value: document, enumerable: true },
    ocr: { get: () => ocrInTurn(deps, run, clock), enumerable: true },
    segmenters: { get: () => segmentersInTurn(deps, run, clock), enumerable: true },
  });
}

function segmentersInTurn({ segmenters: { local, remote } }: NodeDeps, run: RunFacts, clock: Pausable): Segmenters {
  const inTurn = (segmenter: Segmenter): Segmenter => ({
    label: segmenter.label,
    segment: (request) => segmenter.segment({ owner: run.organizationId, clock, ...request }),
  });
  return { local: inTurn(local), remote: remote && inTurn(remote) };
}

function ocrInTurn(deps: NodeDeps, run: RunFacts, clock: Pausable): OcrEngine {
  const { ocr } = deps;
  return {
    label: ocr.label,
    language: ocr.language,
    installed: () => ocr.installed(),
    recent: () => ocr.recent(),
    async recognize(page, options) {
      const { sha256: content } = await deps.document(run);
      return ocr.recognize(page, { owner: run.organizationId, content, again: run.again, clock, ...options });
    },
    close: () => ocr.close(),
  };
}
