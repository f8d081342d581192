import {
  ChatBody,
  chatLimits,
  type AskInput,
  type ChatMessage,
  type ChatScope,
} from '#src/contracts/resources/chat.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { invalidInput, validated } from '#tools/call.ts';

export type Asked = ReturnType<typeof AskInput.parse>;

/** A chat request, parsed from any of the three body shapes. */
export interface ChatRequest {
  /** Response protocol: the AI SDK's UI message stream, or AG-UI events for one run. */
  readonly wire:
    | { readonly kind: 'ui' }
    | { readonly kind: 'ag-ui'; readonly threadId: string; readonly runId: string };
  /** The client's id of the chat, under which the conversation is stored; null without one. */
  readonly chatId: string | null;
  readonly asked: Asked;
}

const scopeNames = ['projectIds', 'apiKeyIds', 'documentIds'] as const satisfies readonly (keyof ChatScope)[];
const same = (left: readonly string[], right: readonly string[]): boolean =>
  JSON.stringify(left.toSorted()) === JSON.stringify(right.toSorted());

/** Reads the scope from any of its three places. Values in two places must be equal. */
function scopeOf(body: ChatBody): ChatScope {
  const locations: readonly [string, ChatScope | undefined][] = [
    ['', body],
    ['/data', body.data],
    ['/forwardedProps', body.forwardedProps],
  ];
  const errors: FieldError[] = [];
  const scope: ChatScope = {};
  for (const name of scopeNames)
    for (const [at, location] of locations) {
      const given = location?.[name];
      if (given === undefined) continue;
      const known = scope[name];
      if (known !== undefined && !same(known, given))
        errors.push({
          pointer: `${at}/${name}`,
          code: 'conflict',
          message: 'is set twice with different values; send it once',
        });
      scope[name] ??= given;
    }
  if (errors.length > 0) throw invalidInput(errors);
  return scope;
}

/** Replaces lone surrogates and NUL, which JSON can carry and neither a model nor the database accepts. */
const plain = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Returns the text parts only. Clients send source cards and other parts of earlier answers back; these are ignored. */
function textOf({ parts, content }: ReturnType<typeof ChatMessage.parse>): string {
  const said = parts ?? content ?? '';
  if (typeof said === 'string') return plain(said);
  return plain(said.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n'));
}

function messagesOf({ messages }: ChatBody): Asked['messages'] {
  const read = messages.map(({ id, role, ...message }) => ({
    ...(id === undefined ? {} : { id: plain(id) }),
    role,
    text: textOf({ role, ...message }),
  }));
  const last = read.at(-1);
  if (last?.role !== 'user' || last.text.trim() === '')
    throw invalidInput([
      {
        pointer: `/messages/${read.length - 1}`,
        code: 'question_missing',
        message: 'the last message must have the role user and text',
      },
    ]);
  const bytes = read.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > chatLimits.bytes)
    throw new AppError(
      'request.too_large',
      `The messages have ${Math.ceil(bytes / 1024)} KiB of text, and ${chatLimits.bytes / 1024} KiB are allowed. Leave out the oldest ones.`,
    );
  return read.filter(({ text }) => text.trim() !== '');
}

/** Errors: `request.invalid`; `request.too_large` for more text than 64 KiB. */
export function readChat(raw: unknown): ChatRequest {
  const errors: FieldError[] = [];
  const body = validated(ChatBody, raw, errors);
  if (body === undefined) throw invalidInput(errors);
  const { threadId, runId } = body;
  const agUi = threadId !== undefined && runId !== undefined;
  const id = agUi ? threadId : (body.id ?? threadId);
  const chatId = id === undefined ? null : plain(id);
  return {
    wire: agUi ? { kind: 'ag-ui', threadId, runId } : { kind: 'ui' },
    chatId,
    asked: {
      messages: messagesOf(body),
      ...(chatId === null ? {} : { conversationId: chatId }),
      ...scopeOf(body),
    },
  };
}
