import { useChat } from '@ai-sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { Send, Square } from 'lucide-react';
import { useMemo, useRef, type KeyboardEvent } from 'react';
import { address } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { Button, Spinner } from '../../parts/button.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { chat as words } from '../../text/chat.ts';
import { Message, type Shown } from './message.tsx';
import type { Source } from './source-list.tsx';

interface Metadata {
  readonly certainty?: Shown['certainty'];
  readonly notice?: Shown['notice'];
  readonly unverifiedQuotes?: readonly { readonly quoteText: string }[];
  readonly modelLabel?: string;
}
type Asked = UIMessage<Metadata, { assistant_sources: { readonly sources: readonly Source[] } }>;
type Stored = Reply<'live', 'conversation'>['messages'][number];

export interface Scope {
  readonly projectIds?: readonly string[];
  readonly documentIds?: readonly string[];
}

/** A stored message in the form of the chat library. */
const restored = ({ id, role, text, sources, certainty, modelLabel }: Stored): Asked => ({
  id,
  role,
  metadata: { certainty, ...(modelLabel === null ? {} : { modelLabel }) },
  parts: [
    ...(sources.length === 0 ? [] : [{ type: 'data-assistant_sources', data: { sources } } as const]),
    { type: 'text', text },
  ],
});

const shownOf = ({ id, role, parts, metadata }: Asked): Shown => ({
  id,
  role: role === 'user' ? 'user' : 'assistant',
  text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
  sources: parts.flatMap((part) => (part.type === 'data-assistant_sources' ? part.data.sources : [])),
  certainty: metadata?.certainty ?? null,
  unverifiedQuotes: (metadata?.unverifiedQuotes ?? []).map(({ quoteText }) => quoteText),
  notice: metadata?.notice ?? null,
  modelLabel: metadata?.modelLabel ?? null,
});

/** The line that asks. Enter sends, Shift and Enter begin another line. */
function Composer({
  isBusy,
  onSend,
  onStop,
}: {
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}) {
  const box = useRef<HTMLTextAreaElement>(null);
  const send = (): void => {
    const text = box.current?.value.trim() ?? '';
    if (text === '' || isBusy || box.current === null) return;
    box.current.value = '';
    onSend(text);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="sticky bottom-0 bg-bg py-3 max-md:bottom-14">
      <div className="flex items-end gap-2 rounded-lg border border-line-strong/60 bg-panel p-2 focus-within:border-accent">
        <textarea
          ref={box}
          rows={2}
          aria-label={words.question}
          placeholder={words.placeholder}
          onKeyDown={onKey}
          className="min-w-0 flex-1 resize-none bg-transparent px-1 outline-none"
        />
        {isBusy ? (
          <Button icon={<Square size={14} aria-hidden />} onClick={onStop}>
            {words.stop}
          </Button>
        ) : (
          <Button look="primary" icon={<Send size={14} aria-hidden />} onClick={send}>
            {words.send}
          </Button>
        )}
      </div>
    </div>
  );
}

/** One conversation: stored messages, and the answer as it comes. An answer that was under way goes on after a reload. */
export function Conversation({
  id,
  stored,
  scope,
}: {
  readonly id: string;
  readonly stored: readonly Stored[];
  readonly scope: Scope;
}) {
  const client = useQueryClient();
  const transport = useMemo(
    () => new DefaultChatTransport<Asked>({ api: address('live', 'chat', { body: { messages: [] } }), body: scope }),
    [scope],
  );
  const { messages, sendMessage, status, stop, error, regenerate } = useChat<Asked>({
    id,
    transport,
    messages: stored.map(restored),
    resume: stored.length > 0,
    onFinish: () => void client.invalidateQueries({ queryKey: ['live', 'conversations'] }),
  });
  const isBusy = status === 'submitted' || status === 'streaming';
  const ask = (text: string) => void sendMessage({ text });
  return (
    <div className="mx-auto flex min-h-[calc(100dvh-15rem)] w-full md:min-h-[calc(100dvh-8.5rem)] max-w-3xl flex-col">
      <div className="grid flex-1 content-start gap-6 pb-4" aria-live="polite" aria-busy={isBusy}>
        {messages.length === 0 && (
          <Empty
            title={words.emptyTitle}
            actions={words.examples.map((example) => (
              <Button key={example} size="small" onClick={() => ask(example)}>
                {example}
              </Button>
            ))}
          >
            {words.empty}
          </Empty>
        )}
        {messages.map((message) => (
          <Message key={message.id} message={shownOf(message)} />
        ))}
        {status === 'submitted' && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner />
            {words.thinking}
          </p>
        )}
        {error !== undefined && <Failure error={error} onRetry={() => void regenerate()} />}
      </div>
      <Composer isBusy={isBusy} onSend={ask} onStop={() => void stop()} />
    </div>
  );
}
