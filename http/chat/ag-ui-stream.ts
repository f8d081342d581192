import type { AGUIEvent } from '@ag-ui/core';
import { frame as sseFrame, sourcesEvent, type FrameFields, type Wire } from '#http/chat/wire.ts';

/** An event whose name is the plain text of AG-UI's enum. */
type Plain<Event> = Event extends { type: infer Name extends string }
  ? Omit<Event, 'type'> & { type: `${Name}` }
  : never;
/** Types of AG-UI check every event. The package itself is not loaded: docs/decisions/0062. */
const frame: (event: Plain<AGUIEvent>, fields?: FrameFields) => string = sseFrame;

/** AG-UI events of one run. Source: AG-UI protocol 1.0 "Events"; docs/decisions/0042. */
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
