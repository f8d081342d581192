import { z } from 'zod';
import {
  ChatBody,
  ChatFrame,
  ChatPath,
  ConversationDetail,
  ConversationList,
  ConversationQuery,
  DeletedConversation,
} from '#src/contracts/resources/chat.ts';
import { RealtimeEvent, RealtimeQuery } from '#src/contracts/resources/realtime.ts';
import { dashboardRoute } from '#src/contracts/route.ts';

const chats = '/api/dashboard/documents/chat';
const nothing = z.strictObject({});

/** Streams, and what is kept of chats. Source: specification §4.3 "Chat endpoint", §6; contracts.md "Chat", "Realtime feed". */
export const dashboardLive = {
  chat: dashboardRoute({
    id: 'dashboard.chat',
    method: 'POST',
    path: chats,
    summary: 'Ask the documents: sources first, then the answer as it is made',
    body: ChatBody,
    reply: ChatFrame,
    stream: true,
    status: 200,
    also: { 204: 'With Last-Event-ID: the answer is over, and nothing more comes' },
    faults: ['project.not_found', 'key.not_found', 'document.not_found', 'model.failed'],
  }),
  resumeChat: dashboardRoute({
    id: 'dashboard.chat.stream',
    method: 'GET',
    path: `${chats}/:chatId/stream`,
    summary: 'The answer that is being made, from its begin',
    params: ChatPath,
    query: nothing,
    reply: ChatFrame,
    stream: true,
    status: 200,
    also: { 204: 'No answer is being made' },
    faults: ['conversation.not_found'],
  }),
  conversations: dashboardRoute({
    id: 'dashboard.chats',
    method: 'GET',
    path: chats,
    summary: 'Your conversations, newest first',
    query: ConversationQuery,
    reply: ConversationList,
    status: 200,
    faults: ['request.cursor_invalid'],
  }),
  conversation: dashboardRoute({
    id: 'dashboard.chat.get',
    method: 'GET',
    path: `${chats}/:chatId`,
    summary: 'One of your conversations with its messages',
    params: ChatPath,
    query: nothing,
    reply: ConversationDetail,
    status: 200,
    faults: ['conversation.not_found'],
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
    faults: ['conversation.not_found'],
  }),
  realtime: dashboardRoute({
    id: 'dashboard.realtime',
    method: 'GET',
    path: '/api/dashboard/realtime',
    summary: 'What happens in the organization, as it happens, from now on or after Last-Event-ID',
    query: RealtimeQuery,
    reply: RealtimeEvent,
    stream: true,
    status: 200,
    faults: ['project.not_found'],
  }),
};
