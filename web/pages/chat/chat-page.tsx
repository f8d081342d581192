import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { pages, read } from '../../api/read.ts';
import { buttonClass, IconButton } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { useProject } from '../../shell/session.ts';
import { chat as words } from '../../text/chat.ts';
import { Conversation } from './conversation.tsx';

const route = pageAt('/chat');

/** Earlier conversations, newest first. */
function Conversations({ chosen }: { readonly chosen: string | undefined }) {
  const client = useQueryClient();
  const { navigate } = route;
  const list = useInfiniteQuery(pages('live', 'conversations', { query: { limit: 30 } }));
  const remove = useMutation({
    mutationFn: (chatId: string) => call('live', 'forgetConversation', { params: { chatId } }),
    onError: toastError,
    onSuccess: ({ id }) => {
      toast(words.removed);
      void client.invalidateQueries({ queryKey: ['live'] });
      if (id === chosen) navigate({ search: (old) => ({ ...old, chat: undefined }) });
    },
  });
  const all = list.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  return (
    <aside aria-label={words.conversations} className="min-w-0 max-lg:order-last">
      <h2 className="mb-2 text-sm text-muted">{words.conversations}</h2>
      {all.length === 0 && <p className="text-xs text-muted">{words.noConversations}</p>}
      <ul className="grid grid-cols-1 gap-0.5">
        {all.map(({ id, title }) => (
          <li key={id} className="group flex items-center rounded-md hover:bg-hover">
            <Link
              to="/chat"
              search={{ chat: id }}
              aria-current={id === chosen ? 'page' : undefined}
              className="min-w-0 flex-1 truncate px-2 py-1.5 aria-[current=page]:font-medium aria-[current=page]:text-accent"
              dir="auto"
            >
              {title}
            </Link>
            <IconButton size="small" label={words.remove} onClick={() => remove.mutate(id)}>
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </aside>
  );
}

const newId = (): string => `chat_${crypto.randomUUID().replaceAll('-', '')}`;

/** Questions about the documents, answered with their sources. */
export function ChatPage() {
  const { chat, document } = route.useSearch();
  const project = useProject();
  // A new conversation each time that one is left.
  const [fresh, renew] = useState(newId);
  const [last, setLast] = useState(chat);
  if (last !== chat) {
    setLast(chat);
    renew(newId);
  }
  const scope = useMemo(
    () =>
      document !== undefined
        ? { documentIds: [document] }
        : project.id === undefined
          ? {}
          : { projectIds: [project.id] },
    [document, project.id],
  );
  const stored = useQuery({
    ...read('live', 'conversation', { params: { chatId: chat ?? '' } }),
    enabled: chat !== undefined,
    staleTime: Infinity,
  });
  const lead =
    document !== undefined
      ? words.scopeDocument
      : project.id === undefined
        ? words.scopeAll
        : words.scopeProject(project.one?.name ?? '');
  return (
    <Page
      title={words.title}
      lead={lead}
      actions={
        <Link to="/chat" className={buttonClass()}>
          <Plus size={15} aria-hidden />
          {words.newChat}
        </Link>
      }
    >
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <Conversations chosen={chat} />
        {chat === undefined ? (
          <Conversation key={fresh} id={fresh} stored={[]} scope={scope} />
        ) : (
          <Loaded query={stored}>
            {({ id, messages }) => <Conversation key={id} id={id} stored={messages} scope={scope} />}
          </Loaded>
        )}
      </div>
    </Page>
  );
}
