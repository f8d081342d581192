import { CircleUser } from 'lucide-react';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { useStore } from '../state/store.ts';
import { shell } from '../text/shell.ts';
import { useSession } from './session.ts';
import { density, theme } from './theme.ts';

async function signOut(): Promise<void> {
  await fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  location.assign('/sign-in');
}

const none: readonly MenuItem[] = [];

interface AccountMenuProps {
  /** Pages that the bar of small screens has no room for. */
  readonly pages?: readonly MenuItem[];
}

/** The person's own menu: look, pages of the account, sign-out. */
export function AccountMenu({ pages = none }: AccountMenuProps) {
  const { credential, organization } = useSession();
  const chosenTheme = useStore(theme);
  const chosenDensity = useStore(density);
  const go = (path: string) => () => location.assign(path);
  return (
    <Menu
      label={`${shell.account}: ${credential.name} ${organization.name}`}
      look="plain"
      className="w-full justify-start px-2 font-normal max-md:justify-center"
      trigger={
        <>
          <CircleUser size={18} aria-hidden className="shrink-0 text-muted" />
          <span className="grid min-w-0 text-start leading-tight max-md:hidden">
            <span className="truncate" dir="auto">
              {credential.name}
            </span>{' '}
            <span className="truncate text-xs text-muted" dir="auto">
              {organization.name}
            </span>
          </span>
        </>
      }
      items={[
        ...pages,
        ...(['system', 'light', 'dark'] as const).map((name) => ({
          label: `${shell.theme}: ${shell.themes[name]}`,
          isChosen: chosenTheme === name,
          onChoose: () => theme.set(name),
        })),
        ...(['comfortable', 'compact'] as const).map((name) => ({
          label: `${shell.density}: ${shell.densities[name]}`,
          isChosen: chosenDensity === name,
          onChoose: () => density.set(name),
        })),
        { label: shell.organizations, onChoose: go('/organizations') },
        { label: shell.connectedPrograms, onChoose: go('/apps') },
        { label: shell.passkeys, onChoose: go('/passkeys') },
        { label: shell.twoFactor, onChoose: go('/two-factor') },
        { label: shell.signOut, onChoose: () => void signOut() },
      ]}
    />
  );
}
