import type { z } from 'zod';
import { Answered, Question, type SourceCard } from '#src/contracts/resources/chat.ts';
import { extractiveLabel } from '#src/domain/chat/extract-answer.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';
import { askedScope } from '#tools/chat/chat-scope.ts';
import { findAnswerSources } from '#tools/chat/find-sources.ts';
import { extractedAnswer, modelAnswer } from '#tools/chat/make-answer.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

type Source = z.input<typeof Answered>['sources'][number];

/** As view_document_image takes it: boxes around letters may reach over the edge of the page by a hair. */
function regionOf([x, y, width, height]: readonly [number, number, number, number]) {
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  return { x: within(x), y: within(y), width: within(width), height: within(height) };
}

function presentSource({ index, documentId, title, excerpts }: SourceCard): Source {
  const told = excerpts.map(({ text, page, bbox, verified }) => ({
    excerptText: text,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { region: regionOf(bbox) }),
    verified,
  }));
  return { index, documentId, title, excerpts: told };
}

export const askDocuments = defineTool({
  name: 'ask_documents',
  description:
    'Answer a question from the text of documents, citing sources as [n], each with excerpts and where they stand. Each question stands for itself. Narrow it by documentIds or projectIds where you can.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: Question,
  output: Answered,
  async run(
    ctx: ToolContext<'apiKeys' | 'chatModel' | 'documents' | 'groundingTexts' | 'search' | 'stemmers' | 'thumbnails'>,
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
      certainty: chatModel.label === null ? 'certain' : 'likely',
    });
    ctx.signal.throwIfAborted();
    // Without anything to rest on there is nothing to ask a model about.
    const modelLabel = (answerSources.sources.length > 0 ? chatModel.label : null) ?? extractiveLabel;
    const { text, cited } =
      modelLabel === extractiveLabel
        ? extractedAnswer(read, answerSources)
        : await modelAnswer(ctx, { question, history: [], answerSources }, () => undefined);
    return { answerText: text, cited: [...cited], sources: answerSources.sources.map(presentSource), modelLabel };
  },
});
