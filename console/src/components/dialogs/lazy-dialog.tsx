import { notifications } from '@mantine/notifications';
import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';
import { loadPart } from '../../lib/actions/load-part.ts';

interface Opened {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that is loaded when it is first opened. If it cannot be, a notice says why. */
export function lazyDialog<Props extends Opened>(importer: () => Promise<ComponentType<Props>>) {
  return function LazyDialog(props: Props) {
    const { isOpen, onClose } = props;
    const [Dialog, setDialog] = useState<ComponentType<Props>>();
    // It opens once it is mounted, so that the focus goes back to where it was.
    const [isMounted, setMounted] = useState(false);
    useEffect(() => setMounted(Dialog !== undefined), [Dialog]);
    const load = useEffectEvent(async () => {
      try {
        const loaded = await loadPart(importer);
        setDialog(() => loaded);
      } catch (error) {
        onClose();
        notifications.show({ message: (error as Error).message, color: 'red' });
      }
    });
    useEffect(() => {
      if (isOpen) void load();
    }, [isOpen]);
    return Dialog && <Dialog {...props} isOpen={isOpen && isMounted} />;
  };
}
