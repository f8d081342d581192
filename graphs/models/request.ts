import type { ChatModel, ChatRequest } from '#src/domain/ports/chat-model.ts';

interface ModelParams {
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number;
}

/** The parts of a request that a config says. */
export function requestOptions({ model, temperature, maxOutputTokens }: ModelParams): Partial<ChatRequest> {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** Label of the model that a config asks; `none` where none is configured. */
export function modelLabelOf(chat: Pick<ChatModel, 'label'>, { model }: ModelParams): string {
  if (chat.label === null) return 'none';
  return model === undefined ? chat.label : `${chat.label.split('/', 1)[0] ?? ''}/${model}`;
}

/** Whether an `engine` of a config comes to a model; `model` does without one too, and fails. */
export function usesModel(chat: Pick<ChatModel, 'label'>, { engine }: { readonly engine: string }): boolean {
  return engine === 'model' || (engine === 'auto' && chat.label !== null);
}

/** The start of a text, at most `most` bytes in UTF-8. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  // A character cut in two is dropped.
  return Buffer.from(text)
    .subarray(0, most)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '');
}
