import { Dialog } from '../parts/dialog.tsx';
import { CheckField } from '../parts/field.tsx';
import { useStore } from '../state/store.ts';
import { shell } from '../text/shell.ts';
import { Keys } from './keys.tsx';
import { shortcuts, singleKeys } from './shortcuts.ts';

/** All shortcuts of the page that is open. */
export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const all = useStore(shortcuts);
  const isOff = useStore(singleKeys) === 'off';
  return (
    <Dialog title={shell.shortcuts} onClose={onClose}>
      <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-2">
        {all.map(({ keys, words }) => (
          <div key={keys} className="contents">
            <dt>{words}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 border-t border-line pt-3">
        <CheckField
          label={shell.shortcutsOff}
          checked={isOff}
          onChange={(event) => singleKeys.set(event.currentTarget.checked ? 'off' : 'on')}
        />
      </div>
    </Dialog>
  );
}
