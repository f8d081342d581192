import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** What is kept of chats. */
export function mountDashboardChats(bind: Bind): void {
  const rename = { chatId: 'conversationId' };
  bind(dashboardLive.conversations, tools.listConversations);
  bind(dashboardLive.conversation, tools.getConversation, { rename });
  bind(dashboardLive.forgetConversation, tools.deleteConversation, { rename });
}
