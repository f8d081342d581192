import type { z } from 'zod';
import { Answered, Question, type SourceCard } from '#src/contracts/resources/chat.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';
import { askedScope } from '#tools/chat/find-sources.ts';
import { findAnswerSources } from '#tools/chat/find-sources.ts';
import { makeAnswer } from '#tools/chat/make-answer.ts';
import { roundedBox } from '#tools/reading/placed-highlights.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

type Source = z.input<typeof Answered>['sources'][number];

/** Clamps a box to the page, as view_document_image requires: OCR boxes can exceed the edge by a fraction of a pixel. */
function regionOf([x, y, width, height]: readonly [number, number, number, number]) {
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  return { x: within(x), y: within(y), width: within(width), height: within(height) };
}

function presentSource({ index, documentId, title, excerpts }: SourceCard): Source {
  const shown = excerpts.map(({ text, page, bbox, boxes, verified }) => ({
    excerptText: text,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { region: regionOf(bbox) }),
    ...(boxes !== undefined && { boxes: boxes.map(roundedBox) }),
    verified,
  }));
  return { index, documentId, title, excerpts: shown };
}

export const askDocuments = defineTool({
  name: 'ask_documents',
  description:
    'Answer a question from documents, citing sources as [n] with excerpts, page and boxes. Earlier questions are not remembered. Example: {"question": "When is the electricity bill due?"}',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: Question,
  output: Answered,
  async run(
    ctx: ToolContext<
      'apiKeys' | 'chatModel' | 'documents' | 'groundingTexts' | 'logger' | 'search' | 'stemmers' | 'thumbnails'
    >,
    { question, documentIds, projectIds },
  ) {
    const { chatModel, stemmers } = ctx.deps;
    const scope = await askedScope(ctx, {
      ...(documentIds !== undefined && { documentIds }),
      ...(projectIds !== undefined && { projectIds }),
    });
    const read = readQuestion(question, undefined, stemmers);
    const answerSources = await findAnswerSources(ctx, read, {
      scope,
      reader: chatModel.label === null ? 'rules' : 'model',
    });
    ctx.signal.throwIfAborted();
    const answer = await makeAnswer(ctx, { question, read, history: [], answerSources }, () => undefined);
    return { ...answer, sources: answerSources.sources.map(presentSource) };
  },
});
