import { useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { upload as words } from '../../text/list/upload.ts';

/** A button that opens the file chooser of the browser. */
export function FileChooser({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <Button onClick={() => chooser.current?.click()}>{words.choose}</Button>
    </>
  );
}
