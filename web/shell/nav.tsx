import { Link } from '../router/link.tsx';
import { navigate } from '../router/navigate.ts';
import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { shell } from '../text/shell.ts';
import { navItems } from './nav-items.ts';
import { useProject, useSession } from './session.ts';
import { Keys } from './keys.tsx';

// Nobody opens it in the first moment.
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

const linkClass =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-muted hover:bg-hover hover:text-fg aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent';

function Brand() {
  return (
    <Link to="/documents" className="flex items-center gap-2 px-2 py-1 text-base font-semibold tracking-tight">
      <img src="/favicon.svg" alt="" width={20} height={20} />
      {shell.product}
    </Link>
  );
}

/** Chooses the project that lists show. */
function ProjectChoice() {
  const { projects } = useSession();
  const { id, choose } = useProject();
  if (projects.length < 2) return null;
  return (
    <select
      aria-label={shell.project}
      value={id ?? ''}
      onChange={(event) => choose(event.currentTarget.value || undefined)}
      className="h-8 w-full rounded-md border border-line bg-panel px-2"
    >
      <option value="">{shell.allProjects}</option>
      {projects.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

/** The main menu of wide screens. */
export function SideBar({ onSearch }: { readonly onSearch: () => void }) {
  return (
    <nav
      aria-label={shell.mainMenu}
      className="sticky top-0 flex h-dvh w-56 shrink-0 flex-col gap-2 border-e border-line bg-panel p-3 max-md:hidden"
    >
      <Brand />
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-bg px-2 text-muted hover:border-line-strong"
      >
        <Search size={14} aria-hidden />
        <span className="flex-1 text-start">{shell.find}</span>
        <Keys keys="mod+k" />
      </button>
      <ProjectChoice />
      <ul className="mt-1 grid gap-0.5 overflow-y-auto">
        {navItems.map(({ to, words, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={linkClass}>
              <Icon size={16} aria-hidden />
              {words}
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-auto h-10">
        <Suspense fallback={null}>
          <AccountMenu />
        </Suspense>
      </div>
    </nav>
  );
}

/** The menu of small screens: main pages at the thumb, the rest behind the account. */
export function BottomBar() {
  const rest = navItems.filter(({ isMain }) => !isMain);
  const pages = rest.map(({ to, words, icon: Icon }) => ({
    label: words,
    icon: <Icon size={16} aria-hidden />,
    onChoose: () => navigate({ to }),
  }));
  return (
    <nav
      aria-label={shell.mainMenu}
      className="fixed inset-x-0 bottom-0 z-10 flex items-stretch justify-around border-t border-line bg-panel md:hidden"
    >
      {navItems
        .filter(({ isMain }) => isMain)
        .map(({ to, words, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className="grid min-w-0 flex-1 justify-items-center gap-0.5 truncate px-0.5 py-2 text-[0.6875rem] text-muted aria-[current=page]:text-accent"
          >
            <Icon size={18} aria-hidden />
            {words}
          </Link>
        ))}
      <div className="grid w-14 shrink-0 place-items-center">
        <Suspense fallback={null}>
          <AccountMenu pages={pages} />
        </Suspense>
      </div>
    </nav>
  );
}
