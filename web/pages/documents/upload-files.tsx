import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { dropped } from '../../shell/add-files.ts';
import { documents as words } from '../../text/documents.ts';

type OnFiles = (files: readonly File[]) => void;

/** Takes files that are dropped on it, or pasted anywhere on the page. */
export function DropZone({
  isOpen,
  onFiles,
  children,
}: {
  readonly isOpen: boolean;
  readonly onFiles: OnFiles;
  readonly children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  usePaste(isOpen, onFiles);
  const hasFiles = (event: DragEvent): boolean => isOpen && event.dataTransfer.types.includes('Files');
  return (
    <div
      className="min-h-full"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void dropped(event.dataTransfer).then(onFiles);
      }}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-30 grid place-items-center border-4 border-dashed border-accent bg-bg/80 text-xl font-semibold">
          {words.dropHere}
        </div>
      )}
    </div>
  );
}

/** Files of the clipboard, such as a screenshot. */
function usePaste(isOn: boolean, onFiles: OnFiles): void {
  useEffect(() => {
    if (!isOn) return;
    const onPaste = ({ clipboardData }: ClipboardEvent): void => {
      const files = [...(clipboardData?.files ?? [])];
      if (files.length > 0) onFiles(files);
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [isOn, onFiles]);
}

/** A button that opens the file chooser of the browser. */
export function FileChooser({ onFiles }: { readonly onFiles: OnFiles }) {
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
      <Button onClick={() => chooser.current?.click()}>{words.upload.choose}</Button>
    </>
  );
}
