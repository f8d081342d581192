import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../../api/read.ts';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useProject } from '../../shell/session.ts';
import { useDebounced } from '../../state/debounced.ts';
import { experiments as words } from '../../text/experiments.ts';

interface ChosenDocumentsProps {
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** Documents of the project to choose from, found by words. Chosen ones stay while another search shows. */
export function ChosenDocuments({ chosen, onChange }: ChosenDocumentsProps) {
  const project = useProject();
  const [text, setText] = useState('');
  const query = useDebounced(text.trim(), 200);
  const documents = useQuery(
    read('documents', 'list', { query: { projectId: project.id, limit: 50, query: query === '' ? undefined : query } }),
  );
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{words.chosenDocuments(chosen.length)}</legend>
      <TextField
        label={words.findDocuments}
        type="search"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p className="text-xs text-muted">{words.documentsHint}</p>
      <Loaded query={documents}>
        {({ documents: found }) => (
          <ul className="grid max-h-56 gap-1.5 overflow-y-auto rounded-md border border-line p-2">
            {found.length === 0 && <li className="text-muted">{words.noDocuments}</li>}
            {found.map((one) => (
              <li key={one.id}>
                <CheckField
                  label={one.title ?? one.filename ?? one.id}
                  checked={chosen.includes(one.id)}
                  onChange={({ currentTarget }) =>
                    onChange(currentTarget.checked ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </fieldset>
  );
}
