import { navigate } from '../router/navigate.ts';
import { Outlet } from '../router/outlet.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { connection } from '../live/connection.ts';
import { Skeleton } from '../parts/states.tsx';
import { Toasts } from '../parts/toast.tsx';
import { announcement } from '../state/announce.ts';
import { useStore } from '../state/store.ts';
import { uploads } from '../state/upload-list.ts';
import { shell } from '../text/shell.ts';
import { NotFound, PageError } from './errors.tsx';
import { navItems } from './nav-items.ts';
import { BottomBar, SideBar } from './nav.tsx';
import { contextQuery } from './session.ts';
import { listenToKeys, useShortcuts } from './shortcuts.ts';

// Most visits open none of these: they load when they are needed.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const UploadTray = lazy(async () => ({ default: (await import('./upload-tray.tsx')).UploadTray }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }));

/** Tells when live updates are interrupted, so that nobody trusts an old page. */
function ConnectionLine() {
  const state = useStore(connection);
  if (state !== 'lost') return null;
  return (
    <p role="status" className="bg-warn-soft px-4 py-1 text-center text-warn">
      {navigator.onLine ? shell.reconnecting : shell.offline}
    </p>
  );
}

/** The frame around all pages: menu, live updates, shortcuts, palette, uploads and toasts. */
function Layout() {
  const client = useQueryClient();
  const [opened, open] = useState<'palette' | 'shortcuts' | null>(null);
  useEffect(() => {
    // After the first paint: nobody waits for it.
    const started = import('../live/feed.ts').then(({ startLive }) => startLive(client));
    return () => void started.then((stop) => stop());
  }, [client]);
  useEffect(() => {
    const started = import('./saved/preferences.ts').then(({ followPreferences }) => followPreferences());
    return () => void started.then((stop) => stop());
  }, []);
  useEffect(() => listenToKeys(), []);
  useShortcuts(
    useMemo(
      () => [
        { keys: 'mod+k', words: shell.search, run: () => open('palette') },
        { keys: '?', words: shell.shortcuts, run: () => open('shortcuts') },
        ...navItems.map(({ to, words, key }) => ({ keys: `g ${key}`, words, run: () => navigate({ to }) })),
      ],
      [],
    ),
  );
  const spoken = useStore(announcement);
  const hasUploads = useStore(uploads).length > 0;
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="absolute start-2 -top-20 z-30 rounded-md bg-accent px-3 py-2 text-on-accent focus:top-2"
      >
        {shell.skip}
      </a>
      <SideBar onSearch={() => open('palette')} />
      <main id="main" className="min-w-0 flex-1 max-md:pb-16">
        <ConnectionLine />
        <Outlet failed={PageError} notFound={NotFound} />
      </main>
      <BottomBar />
      <Toasts />
      <div aria-live="polite" className="sr-only">
        {spoken}
      </div>
      <Suspense fallback={null}>
        {hasUploads && <UploadTray />}
        {opened === 'palette' && <Palette onClose={() => open(null)} />}
        {opened === 'shortcuts' && <ShortcutList onClose={() => open(null)} />}
      </Suspense>
    </div>
  );
}

/** The dashboard, once it is known what the person may do. */
export function Dashboard() {
  const { data, error, refetch } = useQuery(contextQuery);
  if (data !== undefined) return <Layout />;
  return error === null ? <Skeleton lines={8} /> : <PageError error={error} reset={() => void refetch()} />;
}
