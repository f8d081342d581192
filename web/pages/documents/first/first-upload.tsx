import { Bot, FolderUp, KeyRound, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { firstUpload as words } from '../../../text/first-upload.ts';
import { ConnectAgent } from './connect-agent.tsx';
import { FirstKey } from './first-key.tsx';

function Way({ title, icon: Icon, children }: { title: string; icon: LucideIcon; children: ReactNode }) {
  return (
    <section className="grid min-w-0 content-start gap-3 rounded-lg border border-line bg-panel p-4">
      <h3 className="flex items-center gap-2">
        <Icon size={18} aria-hidden className="text-accent" />
        {title}
      </h3>
      {children}
    </section>
  );
}

/** A project without documents: the ways to bring in the first one. */
export function FirstUpload({ action }: { readonly action: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-6xl gap-4 py-6">
      <div className="text-center">
        <h2 className="text-lg">{words.title}</h2>
        <p className="text-muted">{words.lead}</p>
      </div>
      <div className="grid gap-4 lg:grid-cols-3">
        <Way title={words.dropTitle} icon={FolderUp}>
          <div className="grid h-full min-h-44 place-content-center justify-items-center gap-3 rounded-lg border-2 border-dashed border-line-strong/60 p-4 text-center">
            <p className="text-muted">{words.drop}</p>
            {action}
          </div>
        </Way>
        <Way title={words.keyTitle} icon={KeyRound}>
          <FirstKey />
        </Way>
        <Way title={words.agentTitle} icon={Bot}>
          <ConnectAgent />
        </Way>
      </div>
    </div>
  );
}
