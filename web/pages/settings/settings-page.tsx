import { pageAt } from '../../router/navigate.ts';
import type { ComponentType } from 'react';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSession } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { AuditSection } from './audit.tsx';
import { KeysSection } from './keys.tsx';
import { MembersSection } from './members.tsx';
import { ProgramsSection } from './programs.tsx';
import { ProjectsSection } from './projects.tsx';
import { sections, type Section } from './search.ts';
import { SecretsSection } from './secrets.tsx';
import { UsageSection } from './usage.tsx';
import { WebhooksSection } from './webhooks/webhooks.tsx';

const route = pageAt('/settings');

/** Scope that a section needs; the others are for everybody. */
const needs: Partial<Readonly<Record<Section, string>>> = {
  members: 'members:read',
  keys: 'keys:manage',
  secrets: 'secrets:manage',
  webhooks: 'keys:manage',
  audit: 'audit:read',
};

const bodies: Readonly<Record<Section, ComponentType>> = {
  members: MembersSection,
  projects: ProjectsSection,
  keys: KeysSection,
  secrets: SecretsSection,
  webhooks: WebhooksSection,
  programs: ProgramsSection,
  audit: AuditSection,
  usage: UsageSection,
};

/** Settings of the organization, as far as the person's role shows them. */
export function SettingsPage() {
  const { section } = route.useSearch();
  const { navigate } = route;
  const { scopes, organization } = useSession();
  const shown = sections.filter((name) => needs[name] === undefined || scopes.some((scope) => scope === needs[name]));
  const chosen = shown.find((name) => name === section) ?? shown[0] ?? 'usage';
  const Body = bodies[chosen];
  return (
    <Page title={words.title} lead={<span dir="auto">{organization.name}</span>}>
      <Tabs
        label={words.title}
        tabs={shown.map((name) => ({ name, label: words.sections[name] }))}
        chosen={chosen}
        onChoose={(name) => navigate({ search: (old) => ({ ...old, section: name }) })}
      >
        <Body />
      </Tabs>
    </Page>
  );
}
