import { objectStoreConformance } from '#test/conformance/object-store.ts';
import { servedStore } from '#test/support/objects.ts';

objectStoreConformance('the disk store', async () => {
  const served = await servedStore();
  return { store: served.store, close: () => served.dispose() };
});
