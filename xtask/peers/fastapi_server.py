"""An HTTP API on FastAPI, which describes itself at /openapi.json.

    python fastapi_server.py PORT

Ships can be put, read, searched and removed, with all kinds of parameters and bodies. `X-Key: sesame` opens /secret.
"""

import sys
from typing import Annotated, Literal

import uvicorn
from fastapi import Cookie, Depends, FastAPI, Form, Header, HTTPException, Query, Response, UploadFile
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

app = FastAPI(title="Quay", version="7", description="Ships at a quay.")
ships: dict[str, "Ship"] = {}


class Captain(BaseModel):
    name: str
    mentor: "Captain | None" = None


class Ship(BaseModel):
    name: str
    length: float | None = None
    tags: list[str] = []
    captain: Captain | None = None


@app.put("/ships/{id}", tags=["ships"])
def put_ship(id: str, ship: Ship, dry: bool = False, x_note: Annotated[str | None, Header()] = None):
    """Put a ship to its place."""
    ships[id] = ship
    return {"id": id, "ship": ship, "dry": dry, "note": x_note}


@app.get("/ships/{id}", tags=["ships"])
def get_ship(id: str) -> Ship:
    if id not in ships:
        raise HTTPException(404, "no such ship")
    return ships[id]


@app.delete("/ships/{id}", tags=["ships"], status_code=204)
def remove_ship(id: str):
    ships.pop(id, None)


@app.get("/search")
def search(
    tag: Annotated[list[str], Query()],
    kind: Literal["sail", "steam"] = "sail",
    session: Annotated[str | None, Cookie()] = None,
):
    return {"tag": tag, "kind": kind, "session": session}


@app.post("/upload")
async def upload(file: UploadFile, note: Annotated[str, Form()]):
    text = (await file.read()).decode()
    return {"name": file.filename, "type": file.content_type, "text": text, "note": note}


@app.post("/form")
def form(text: Annotated[str, Form()], numbers: Annotated[list[int], Form()]):
    return {"text": text, "numbers": numbers}


@app.get("/secret")
def secret(key: Annotated[str, Depends(APIKeyHeader(name="X-Key"))]):
    if key != "sesame":
        raise HTTPException(403, "wrong key")
    return {"open": True}


@app.get("/flag")
def flag():
    return Response(b"\x89PNG", media_type="image/png")


@app.get("/list/")
def listing():
    return sorted(ships)


uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
