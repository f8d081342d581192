import { z } from 'zod';
import {
  ChatBody,
  ChatPath,
  ConversationDetail,
  ConversationList,
  ConversationQuery,
  DeletedConversation,
} from '#src/contracts/resources/chat.ts';
import { ChatFrame } from '#src/contracts/streams/chat-frames.ts';
import { EventsQuery, RealtimeFrame } from '#src/contracts/streams/event-frames.ts';
import { dashboardRoute } from '#src/contracts/route.ts';

const chats = '/api/dashboard/documents/chat';
const nothing = z.strictObject({});

const IdList = z
  .string()
  .max(10_000)
  .transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))])
  .pipe(z.array(z.string().max(128)).min(1).max(100));

const RealtimeQuery = EventsQuery.extend({
  projectIds: IdList.optional().describe('Only events of these projects, comma-separated'),
});

/** Chat, stored conversations and the realtime feed. Source: `chat.stream`, `realtime.stream`, docs/decisions/0040 and 0042. */
export const dashboardLive = {
  chat: dashboardRoute({
    id: 'dashboard.chat',
    method: 'POST',
    path: chats,
    summary: 'Ask a question about the documents; the stream sends the sources, then the answer',
    body: ChatBody,
    reply: ChatFrame,
    stream: true,
    status: 200,
    also: { 204: 'With Last-Event-ID: the answer is complete' },
    errors: ['project.not_found', 'key.not_found', 'document.not_found'],
  }),
  resumeChat: dashboardRoute({
    id: 'dashboard.chat.stream',
    method: 'GET',
    path: `${chats}/:chatId/stream`,
    summary: 'Follow an unfinished answer from its beginning',
    params: ChatPath,
    query: nothing,
    reply: ChatFrame,
    stream: true,
    status: 200,
    also: { 204: 'The conversation has no unfinished answer' },
    errors: ['conversation.not_found'],
  }),
  conversations: dashboardRoute({
    id: 'dashboard.chats',
    method: 'GET',
    path: chats,
    summary: 'List your conversations, newest first',
    query: ConversationQuery,
    reply: ConversationList,
    status: 200,
    errors: ['request.cursor_invalid'],
  }),
  conversation: dashboardRoute({
    id: 'dashboard.chat.get',
    method: 'GET',
    path: `${chats}/:chatId`,
    summary: 'Get one of your conversations with its messages',
    params: ChatPath,
    query: nothing,
    reply: ConversationDetail,
    status: 200,
    errors: ['conversation.not_found'],
  }),
  forgetConversation: dashboardRoute({
    id: 'dashboard.chat.delete',
    method: 'DELETE',
    path: `${chats}/:chatId`,
    summary: 'Delete one of your conversations',
    params: ChatPath,
    query: nothing,
    reply: DeletedConversation,
    status: 200,
    errors: ['conversation.not_found'],
  }),
  realtime: dashboardRoute({
    id: 'dashboard.realtime',
    method: 'GET',
    path: '/api/dashboard/realtime',
    summary: 'Follow the events of the organization, from now on or after Last-Event-ID',
    query: RealtimeQuery,
    reply: RealtimeFrame,
    stream: true,
    status: 200,
    errors: ['project.not_found'],
  }),
};
