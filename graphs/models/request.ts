import type { ChatModel, ChatRequest } from '#src/domain/ports/chat-model.ts';

interface ModelParams {
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number;
}

/** Request options from a config. */
export function requestOptions({ model, temperature, maxOutputTokens }: ModelParams): Partial<ChatRequest> {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** Label of the config's model; `none` if no model is configured. */
export function modelLabelOf(chat: Pick<ChatModel, 'label'>, { model }: ModelParams): string {
  if (chat.label === null) return 'none';
  return model === undefined ? chat.label : `${chat.label.split('/', 1)[0] ?? ''}/${model}`;
}

/** True if `engine` of a config selects the model. `model` selects it even if none is configured, and then fails. */
export function usesModel(chat: Pick<ChatModel, 'label'>, { engine }: { readonly engine: string }): boolean {
  return engine === 'model' || (engine === 'auto' && chat.label !== null);
}

/** Cuts a text to at most `most` bytes of UTF-8. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // Bytes 10xxxxxx continue a character, which the cut must not split.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
