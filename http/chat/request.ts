import {
  ChatBody,
  chatLimits,
  type AskInput,
  type ChatMessage,
  type ChatScope,
} from '#src/contracts/resources/chat.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { fieldErrors, invalidInput } from '#tools/call.ts';

export type Asked = ReturnType<typeof AskInput.parse>;

/** A chat request of any of the three shapes, read. */
export interface ChatRequest {
  /** The AI SDK's UI message stream, or AG-UI events for one run. */
  readonly wire:
    | { readonly kind: 'ui' }
    | { readonly kind: 'ag-ui'; readonly threadId: string; readonly runId: string };
  /** What the client calls its chat, and the conversation is kept as; null where it gives no name. */
  readonly chatId: string | null;
  readonly asked: Asked;
}

const scopeNames = ['projectIds', 'apiKeyIds', 'documentIds'] as const satisfies readonly (keyof ChatScope)[];
const same = (left: readonly string[], right: readonly string[]): boolean =>
  JSON.stringify(left.toSorted()) === JSON.stringify(right.toSorted());

/** The scope, wherever it stands; in two places it has to be the same. */
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
        errors.push({ pointer: `${at}/${name}`, code: 'conflict', message: 'stands elsewhere, too, and differs' });
      scope[name] ??= given;
    }
  if (errors.length > 0) throw invalidInput(errors);
  return scope;
}

/** JSON can say half a character, and NUL: neither is text that a model or a store takes. */
const plain = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The text alone: source cards and other parts of earlier answers come back from clients and are not read. */
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
        message: 'the last message has to be of the user, with text',
      },
    ]);
  const bytes = read.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > chatLimits.bytes)
    throw new AppError(
      'request.too_large',
      `The text of all messages may have at most ${chatLimits.bytes / 1024} KiB: leave out the oldest ones.`,
    );
  return read.filter(({ text }) => text.trim() !== '');
}

/** Errors: `request.invalid`; `request.too_large` for more text than 64 KiB. Source: contracts.md "Chat". */
export function readChat(raw: unknown): ChatRequest {
  const parsed = ChatBody.safeParse(raw);
  if (!parsed.success) throw invalidInput(fieldErrors(parsed.error));
  const body = parsed.data;
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
