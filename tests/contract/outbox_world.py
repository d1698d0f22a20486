"""The outbox contract's World over the tablet's own store and evidence box, wherever those are."""

from field_app.store.outbox import StoreOutbox, queue


class StoreWorld:
    """The tablet's own outbox over a store; subclasses say where that store is and how it crashes."""

    def __init__(self, folder):
        self.folder = folder

    async def open(self):
        self.box = await self.open_box()
        await self.reopen()

    async def reopen(self):
        self.store = await self.open_store()
        self.port = StoreOutbox(self.store, self.box)

    async def keep(self, data):
        await self.box.keep(data)

    async def queue(self, frozen, mac, credential):
        async with self.store.change() as tx:
            queue(tx, frozen, mac=mac, credential=credential)

    async def doc(self, table, id):
        found = self.store.table(table).get(id)
        return None if found is None else dict(found)

    async def put(self, table, id, doc):
        async with self.store.change() as tx:
            tx.put(table, id, doc)
