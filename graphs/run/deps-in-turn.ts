import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { Pausable } from '#src/domain/ports/page-turn.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Segmenter } from '#src/domain/ports/segmenter.ts';

/**
 * Dependencies of a step whose scarce work is done in turns, on behalf of the run's organization. The clock of the step stands still while the
 * work waits for its turn. Source: docs/decisions/0277.
 */
export function depsInTurn(deps: NodeDeps, run: RunFacts, clock: Pausable): NodeDeps {
  const owner = run.organizationId;
  const segmenterInTurn = (segmenter: Segmenter): Segmenter => ({
    label: segmenter.label,
    segment: (request) => segmenter.segment({ owner, clock, ...request }),
  });
  const { local, remote } = deps.segmenters;
  return {
    ...deps,
    async document(of, asOf) {
      const document = await deps.document(of, asOf);
      return {
        ...document,
        page: (index, signal) => document.page(index, signal, clock),
        text: (index, signal) => document.text(index, signal, clock),
      };
    },
    ocr: ocrInTurn(deps, run, clock),
    segmenters: { local: segmenterInTurn(local), remote: remote && segmenterInTurn(remote) },
  };
}

function ocrInTurn({ ocr, document }: NodeDeps, run: RunFacts, clock: Pausable): OcrEngine {
  return {
    label: ocr.label,
    language: ocr.language,
    installed: () => ocr.installed(),
    recent: () => ocr.recent(),
    async recognize(page, options) {
      const { sha256: content } = await document(run);
      return ocr.recognize(page, { owner: run.organizationId, content, again: run.again, clock, ...options });
    },
    close: () => ocr.close(),
  };
}
