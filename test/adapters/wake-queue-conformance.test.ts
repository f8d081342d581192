import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { wakeQueueConformance } from '#test/conformance/wake-queue.ts';

wakeQueueConformance('the queue within a process', async () => {
  const queue = createInProcessWakeQueue();
  return { queue, close: () => queue.close() };
});
