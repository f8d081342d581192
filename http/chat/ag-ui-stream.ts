import { frame, sourcesEvent, type Wire } from '#http/chat/wire.ts';

/** AG-UI events of one run. Source: contracts.md "Chat"; AG-UI protocol 1.0 "Events". */
export function createAgUiStream({ threadId, runId }: { readonly threadId: string; readonly runId: string }): Wire {
  let messageId = '';
  let speaking = false;
  const close = (): string => (speaking ? frame({ type: 'TEXT_MESSAGE_END', messageId }) : '');
  return {
    headers: {},
    begin(begin) {
      ({ messageId } = begin);
      return frame({ type: 'RUN_STARTED', threadId, runId }, { id: messageId });
    },
    sources: (sources) => frame({ type: 'CUSTOM', name: sourcesEvent, value: { sources } }),
    text(delta) {
      const opening = speaking ? '' : frame({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      speaking = true;
      return opening + frame({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
    },
    end: ({ conversationId, modelLabel, cited }) =>
      close() +
      frame({ type: 'RUN_FINISHED', threadId, runId, result: { conversationId, messageId, modelLabel, cited } }),
    failure: ({ code, detail }) => close() + frame({ type: 'RUN_ERROR', message: detail, code }),
  };
}
