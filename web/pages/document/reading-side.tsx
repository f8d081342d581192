import { Link } from '../../router/link.tsx';
import { MessageCircleQuestion, Play } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Empty } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCan } from '../../shell/session.ts';
import { document as words } from '../../text/document.ts';
import { DescriptionTab } from './tabs/description-tab.tsx';
import { FieldsTab } from './records/fields-tab.tsx';
import type { Reading } from './reading.ts';
import { RunDialog } from './run-dialog.tsx';
import { RunsTab } from './tabs/runs-tab.tsx';
import { documentTabs, type DocumentTab } from './search.ts';
import { SegmentationsTab } from './tabs/segmentations-tab.tsx';
import { SimilarTab } from './tabs/similar-tab.tsx';
import { TextTab } from './tabs/text-tab.tsx';

/** Page of the chat. */
function AskTab({ id }: { readonly id: string }) {
  return (
    <Empty
      title={words.askTitle}
      icon={<MessageCircleQuestion size={32} aria-hidden />}
      actions={
        <Link to="/chat" search={{ document: id }} className={buttonClass('primary')}>
          {words.askOpen}
        </Link>
      }
    >
      {words.askWords}
    </Empty>
  );
}

/** Tabs of the readings of the document, one for each kind. */
export function ReadingSide({ reading }: { readonly reading: Reading }) {
  const { document, place } = reading;
  const canRun = useCan('runs:execute');
  const [isRunning, setRunning] = useState(false);
  const action = canRun && (
    <Button size="small" icon={<Play size={14} aria-hidden />} onClick={() => setRunning(true)}>
      {words.runWorkflow}
    </Button>
  );
  const panels: Readonly<Record<DocumentTab, ReactNode>> = {
    text: <TextTab reading={reading} />,
    fields: <FieldsTab reading={reading} action={action} />,
    description: <DescriptionTab document={document} />,
    segmentations: <SegmentationsTab reading={reading} />,
    similar: <SimilarTab id={document.id} />,
    runs: <RunsTab id={document.id} action={action} />,
    ask: <AskTab id={document.id} />,
  };
  return (
    <>
      <Tabs
        label={words.tabsLabel}
        tabs={documentTabs.map((name) => ({ name, label: words.tabs[name] }))}
        chosen={place.tab}
        onChoose={place.toTab}
        isTight
      >
        {panels[place.tab]}
      </Tabs>
      {isRunning && <RunDialog chosen={{ documentIds: [document.id] }} onClose={() => setRunning(false)} />}
    </>
  );
}
