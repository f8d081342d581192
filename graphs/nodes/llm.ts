import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { readerOf } from '#graphs/models/read-answer-of.ts';
import { askForJson, largestAnswer, schemaRule } from '#graphs/models/ask-for-json.ts';
import { answerOf, outputOf, promptFields } from '#graphs/models/config-fields.ts';
import { documentText, sourceOf } from '#graphs/models/document-text.ts';
import { filledPrompt, shownDocument, systemMessage } from '#graphs/models/prompt.ts';
import { cutBytes, modelLabelOf, requestOptions } from '#graphs/models/request.ts';

export const llm = defineNode({
  type: 'llm',
  version: 1,
  summary: 'Ask a text model about the document; the answer is text or JSON of a schema',
  params: z.strictObject(promptFields),
  reads: [],
  writes: [],
  channels: (config) => ({ readsIfPresent: sourceOf(config), writes: outputOf(config, 'answer') }),
  outputs: answerOf,
  templates: ['prompt'],
  literals: ['system', 'schema'],
  pure: true,
  dependsOn: (deps, params) => [modelLabelOf(deps.chat, params)],
  defaultTimeoutMs: 180_000,
  example: { prompt: 'Summarize the document in three sentences.', output: 'summary' },
  async run(call) {
    const { deps, params, state, signal, computing } = call;
    const text = await documentText(call, params.source, params.maxTextCharacters);
    const prompt = await filledPrompt(params.prompt, state, { chat: deps.chat, computing });
    const user = params.source === 'none' ? prompt : `${prompt}\n\n${shownDocument(deps.chat, text)}`;
    const ask = (task: string) => ({
      messages: [systemMessage(task, params.system), { role: 'user' as const, text: user }],
      ...requestOptions(params),
      signal,
    });
    if (params.schema === undefined) {
      const answer = await deps.chat.complete(ask('Answer in plain text.'));
      return {
        update: { [params.output]: cutBytes(answer.text, largestAnswer) },
        usage: answer.usage,
        modelLabel: modelLabelOf(deps.chat, params),
      };
    }
    const { value, usage } = await askForJson(deps.chat, {
      ...ask(schemaRule(params.schema)),
      schema: { name: 'answer', schema: params.schema },
      read: readerOf(params.schema, computing),
    });
    return { update: { [params.output]: value }, usage, modelLabel: modelLabelOf(deps.chat, params) };
  },
});
